import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRunStore } from '../../store/create-run-store.ts';
import { keepRows } from '../../store/kept-rows.ts';
import { makeTable } from '../../store/loop-rows.ts';
import { readResults } from '../../store/results.ts';
import { createStepWorld, type StepWorld } from '../activities/step-world.ts';

let dir: string;
let world: StepWorld;
const api = new URL('../../index.ts', import.meta.url).href;

const titles = (): string => `import { defineSweep, z } from ${JSON.stringify(api)};
export default defineSweep({
  name: 'acme.titles',
  input: z.strictObject({ texts: z.array(z.string()) }),
  effect: 'never',
  result: z.object({ title: z.string() }),
  items: ({ texts }) => texts.map((text, at) => ({ id: 'i' + at, text })),
  each: async ({ text }) => ({ result: { title: text.slice(0, 6) } }),
});
`;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portolan-half-'));
  await writeFile(join(dir, 'titles.mts'), titles());
  world = await createStepWorld([join(dir, 'titles.mts')]);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

test('a result that was cut in the middle of a character is kept, and those beside it', async () => {
  const run = world.newRun();
  const { output } = await run.step('acme.titles', { texts: ['Movie', 'Film 🎬 night', 'Other'] });
  const found = [];
  for await (const row of readResults(run.store, output.results)) found.push(row['title']);
  expect(found).toEqual(['Movie', 'Film \ufffd', 'Other']);
});

test('so is what a turn of a loop gave', async () => {
  const store = createRunStore(join(dir, 'run'));
  await keepRows(store, 'each', 0, [{ turn: 0, row: { title: 'Film 🎬'.slice(0, 6) } }]);
  expect((await makeTable(store, 'each', ['title'], 1_000_000)).rows).toEqual([{ title: 'Film \ufffd' }]);
});
