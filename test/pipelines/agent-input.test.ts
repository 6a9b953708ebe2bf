import { expect, test } from 'vitest';
import { compile } from '../../pipelines/compile/compile.ts';
import { remedied } from '../../pipelines/file/finding-codes.ts';
import { parse } from '../../pipelines/file/parse.ts';
import { steps } from '../../pipelines/steps/table.ts';

test.each([
  [{ cap: { item: -1 } }, "'cap.item' is -1", 'write an amount in US dollars, as 0.5'],
  [{ cap: 20 }, "'cap' is 20", expect.stringContaining('item is what one agent may cost, total what all of them may')],
  [{ cap: { item: 2, total: 1 } }, 'is less than cap.item', 'raise total, or lower item'],
  [{ cap: { item: 2, run: 1 } }, 'is less than cap.item', 'raise run, or lower item'],
  [{ followUps: [{ when: { says: 'No (emails' }, prompt: 'Again.' }] }, 'Unterminated group', expect.stringContaining('a backslash')],
])('of %j nobody guesses what was meant: the rule is named, and what to write', (given, says, remedy) => {
  const ask = { use: 'agent.run', with: { items: 'a.csv', key: 'id', prompt: 'Read.', ...given } };
  const text = JSON.stringify({ name: 'asks', connection: 'local', steps: { ask } }, undefined, 1);
  const compiled = compile(parse(text, 'json'), { steps, baseDir: '/project', timed: true });
  const findings = 'findings' in compiled ? compiled.findings.map(remedied) : [];
  expect(findings).toMatchObject([{ message: expect.stringContaining(says), remedy }]);
  expect(findings[0]).not.toHaveProperty('corrected');
});

test('a cap of the whole that is 0, or is that of one agent, is none too many', () => {
  for (const cap of [
    { item: 1, total: 0 },
    { item: 1, run: 1 },
  ]) {
    const ask = { use: 'agent.run', with: { items: 'a.csv', key: 'id', prompt: 'Read.', cap } };
    const text = JSON.stringify({ name: 'asks', connection: 'local', steps: { ask } });
    expect(compile(parse(text, 'json'), { steps, baseDir: '/project', timed: true })).not.toHaveProperty('findings');
  }
});
