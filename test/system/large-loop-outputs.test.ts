import { beforeAll, expect, test } from 'vitest';
import { createRunStore } from '../../store/create-run-store.ts';
import { readResults } from '../../store/results.ts';
import { useWorld } from './support.ts';
import { namesTable } from './support-posts.ts';

const world = useWorld();
const api = new URL('../../index.ts', import.meta.url).href;
const names = Array.from({ length: 25 }, (_, at) => `document-${at}`);

beforeAll(async () => {
  await world.write(
    'steps/long.mts',
    `import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({
  name: 'acme.long',
  input: z.strictObject({ name: z.string(), bytes: z.int() }),
  output: z.object({ text: z.string() }),
  effect: 'safe',
  run: ({ name, bytes }) => ({ text: name + ' '.repeat(bytes) }),
});
`,
  );
  await world.worker.stop();
  await world.worker.start(0);
});

const pipeline = (over: string, name: string, { bytes, text }: { bytes: number; text: string }): string => `
name: long
steps:
  all:
    forEach: { ${over}, as: one, parallel: 4 }
    steps: { read: { use: acme.long, with: { name: "\${{ ${name} }}", bytes: ${bytes} } } }
    outputs: { text: "\${{ ${text} }}" }
outputs: { results: "\${{ steps.all.results }}" }
`;

const loops = [
  ['items', () => `items: [${names.join(', ')}]`, 'one'],
  ['rows', async () => `rows: ${await namesTable(world, names)}`, 'one.name'],
] as const;

test.each(loops)('a loop over %s gives a table of megabytes of text', async (_, over, name) => {
  const { result } = await world.run(pipeline(await over(), name, { bytes: 1_000_000, text: 'steps.read.text' }));
  expect(result).toMatchObject({ state: 'done' });
  const store = createRunStore(world.store(result.run).path());
  const found: string[] = [];
  for await (const row of readResults(store, result.outputs['results'] as string)) found.push((row['text'] as string).trimEnd());
  expect(found).toEqual(names);
});

test.each(loops)('a loop over %s that gives a value larger than can be kept names itself and the output', async (_, over, name) => {
  const { result } = await world.run(pipeline(await over(), name, { bytes: 3_000_000, text: 'steps.read.text + steps.read.text' }));
  expect(result).toMatchObject({ state: 'failed', error: { step: expect.stringMatching(/^all/) } });
  expect(`${result.error!.step} ${result.error!.message}`).toMatch(
    /all\[\d+\]:? .*text: a value of 6,000,0\d\d bytes, at most 4,194,304 can be kept/,
  );
});
