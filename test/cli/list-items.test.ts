import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listItems } from '../../cli/start/list-items.ts';
import { loadOwnSteps } from '../../pipelines/own/load-steps.ts';
import { withOwn } from '../../pipelines/steps/table.ts';
import { planOf } from '../pipelines/support.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portolan-items-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const index = new URL('../../index.ts', import.meta.url).href;

async function listed(items: string, count = '30'): Promise<unknown> {
  const file = join(dir, `${Math.random().toString(36).slice(2)}.mts`);
  await writeFile(
    file,
    `import { defineSweep, z } from ${JSON.stringify(index)};
export default defineSweep({ name: 'acme.list', input: z.strictObject({ count: z.int().transform((n) => n + 1) }), effect: 'never', ${items}, async each() {} });
`,
  );
  const table = withOwn(await loadOwnSteps([file]));
  const text = `name: a\nsteps:\n  set: { use: dataset.ensure, with: { slug: a } }\n  list: { use: acme.list, with: { count: ${count} } }\n`;
  return (await listItems(planOf(text, { steps: table }), table)).get('list');
}

test.each([
  ['a generator, of the input as its schema makes it', '*items({ count }) { for (let at = 0; at < count; at++) yield at; }', 31],
  ['an async generator', 'async *items() { yield 1; yield 2; }', 2],
  ['a list', 'items: () => [1, 2, 3]', 3],
])('the items of %s are counted before the run', async (_, items, count) => {
  expect(await listed(items)).toBe(count);
});

test.each([
  ['its context', 'async *items(_, context) { yield* (await context.fetch("http://x")).json() }', 'context.fetch, which only a run has'],
  ['an error', 'items() { throw new Error("no customers") }', 'listing them fails: no customers'],
  ['process.exit', 'items() { process.exit(3) }', 'ends'],
  ['a loop without end', 'items() { for (;;); }', 'takes more than 5 s'],
])('where listing meets %s nobody knows how many there are, and why is said', async (_, items, because) => {
  expect(await listed(items)).toEqual({ because: expect.stringContaining(because) });
});

test('where the input is known only in the run nobody is asked', async () => {
  expect(await listed('items: () => [1]', '"${{ steps.set.rows }}"')).toEqual({
    because: expect.stringContaining('known only in the run'),
  });
});
