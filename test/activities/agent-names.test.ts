import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryFiles } from '../../store/columnar.ts';
import { literal } from '../../text/sql.ts';
import { startOpenAiEndpoint, type ChatRequest } from '../service/openai-endpoint.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

/** As artifacts may be called: what no file may be, names of one another, and more bytes than a name of a file has. */
const names = ['../../up', 'CON', 'con', '漢'.repeat(300), '😀'.repeat(300), `${'漢'.repeat(300)}!`];

/** Keeps an empty table under each of the names, one after the other. */
const worker = ({ messages }: ChatRequest) => {
  const name = names[messages.filter(({ role }) => role === 'tool').length];
  const table = { name, schema: [{ name: 'rows', type: 'number' }], elements: [] };
  return name === undefined ? { text: 'Kept.' } : { calls: [{ name: 'save_table', args: table }] };
};

let endpoint: Awaited<ReturnType<typeof startOpenAiEndpoint>>;
let world: StepWorld;
beforeAll(async () => {
  endpoint = await startOpenAiEndpoint(worker);
  const model = { model: 'small', key: 'sk-test', prices: { small: { input: 1, output: 1, cached: 1 } }, webSearch: false };
  const agents = { pace: { from: 0, to: 0 }, endpoint: { url: endpoint.url, ...model, timeoutSeconds: 30 } };
  world = await createStepWorld([], {}, undefined, { agents });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await endpoint?.[Symbol.asyncDispose]();
});

test('artifacts and items of whatever names are kept, each in a file of its own in the folder of its item', async () => {
  const items = join(world.dir, 'items.json');
  await writeFile(items, JSON.stringify([{ id: '漢'.repeat(300) }, { id: '../up' }]));
  const { output } = await world.newRun().step('agent.run', { items, key: 'id', prompt: 'Keep.', everySeconds: 0.25 });
  expect(output).toMatchObject({ items: 2, done: 2 });
  const rows = await queryFiles<{ folder: string; artifacts: bigint }>(
    `select folder, artifacts from read_parquet(${literal(output.results)})`,
  );
  for (const { folder, artifacts } of rows) {
    expect(Number(artifacts)).toBe(names.length);
    const files = await readdir(join(folder, 'artifacts'));
    expect(
      files
        .filter((file) => file.endsWith('.json'))
        .map((file) => file.slice(0, 3))
        .sort(),
    ).toEqual(names.map((_, at) => `0${at + 1}-`));
  }
});
