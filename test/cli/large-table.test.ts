import { expect, test } from 'vitest';
import { table } from '../../cli/render/table.ts';

test('a table has as many rows as there are', () => {
  const text = table(Array.from({ length: 300_000 }, (_, at) => [`row ${at}`, 'done']));
  expect(text.split('\n')).toHaveLength(300_001);
  expect(text.slice(0, text.indexOf('\n'))).toBe('row 0       done');
});
