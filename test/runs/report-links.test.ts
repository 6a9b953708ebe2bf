import { expect, test } from 'vitest';
import { valueText } from '../../runs/report/tables.ts';

test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', ' https://example.com', 'HTTPS', 'x https://example.com'])(
  'the output %s is a text of the report and no link',
  (text) => expect(valueText(text)).toMatch(/^<code>[^<]*<\/code>$/),
);

test('a web address is a link, with what it holds escaped', () => {
  expect(valueText('https://example.com/?a="b"')).toBe(
    '<a href="https://example.com/?a=&quot;b&quot;">https://example.com/?a=&quot;b&quot;</a>',
  );
});
