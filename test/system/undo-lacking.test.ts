import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { giveSays, saidIn } from './support-says.ts';
import { useWorld } from './support.ts';

const world = useWorld();
const api = new URL('../../index.ts', import.meta.url).href;

/** A step that needs a secret, in a file of its own. */
const keyed = `import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({
  name: 'acme.keyed',
  input: z.strictObject({}),
  output: z.object({}),
  effect: 'idempotent',
  secrets: ['acme'],
  run: () => ({}),
});
`;

beforeAll(async () => {
  process.env['UNDO_SECRET'] = 'canary-of-an-undo';
  await world.write('portolan.config.mts', `export default { secrets: { acme: { env: 'UNDO_SECRET' } } };`);
  await world.write('steps/keyed.mts', keyed);
  await giveSays(world);
});

const file = `name: lacking
params: { file: { type: string } }
steps:
  one:
    use: acme.says
    with: { word: one, file: "\${{ params.file }}" }
    undo:
      forEach: { rows: words.csv, key: word, as: row }
      steps: { back: { use: acme.says, with: { word: "\${{ row.word }}", file: "\${{ params.file }}" } } }
  two:
    use: acme.says
    needs: [one]
    with: { word: two, file: "\${{ params.file }}" }
    undo: { use: acme.keyed }
`;

test('what an undo lacks is said before it starts: a file, the code of a step, a secret', async () => {
  await world.write('pipelines/words.csv', 'word\n-one\n');
  const run = await world.start(file, { file: 'lacking.txt' });
  await world.ended(run);

  await rm(join(world.dir, 'pipelines/words.csv'));
  delete process.env['UNDO_SECRET'];
  const lacks = await world.portolan(['undo', run, '--detach']);
  expect(lacks.code).toBe(2);
  expect(lacks.err).toContain(`steps.one.undo.forEach.rows: there is no ${join(world.dir, 'pipelines/words.csv')}`);
  expect(lacks.err).toMatch(/steps\.undo_two needs the secret 'acme'/);
  const dry = await world.portolan(['undo', run, '--dry-run']);
  expect([dry.code, dry.err]).toEqual([0, expect.stringContaining('words.csv: an undo is refused before it sends anything')]);

  process.env['UNDO_SECRET'] = 'canary-of-an-undo';
  await world.write('pipelines/words.csv', 'word\n-one\n');
  await rm(join(world.dir, 'steps/keyed.mts'));
  const gone = await world.portolan(['undo', run, '--no-check', '--detach']);
  expect([gone.code, gone.err]).toEqual([2, expect.stringContaining("steps.two.undo: there is no step 'acme.keyed' here any more")]);
  expect((await world.portolan(['runs', '--children'])).out).not.toContain(`${run}.undo`);
  expect((await saidIn(world, 'lacking.txt')).trim()).toBe('one two');

  await world.write('steps/keyed.mts', keyed);
  const undone = await world.portolan(['undo', run, '--json']);
  expect([undone.code, undone.err]).toEqual([0, '']);
  expect((await saidIn(world, 'lacking.txt')).trim()).toBe('one two -one');
});

test('a file that the pipeline of an undo reads is looked for too', async () => {
  await world.write(
    'pipelines/back.yaml',
    `name: back
params: { file: { type: string }, words: { type: path } }
steps:
  each:
    forEach: { rows: "\${{ params.words }}", key: word, as: row }
    steps: { back: { use: acme.says, with: { word: "\${{ row.word }}", file: "\${{ params.file }}" } } }
`,
  );
  await world.write('pipelines/beyond.csv', 'word\n-one\n');
  const above = `name: beyond
params: { file: { type: string } }
steps:
  one:
    use: acme.says
    with: { word: one, file: "\${{ params.file }}" }
    undo: { use: ./back.yaml, with: { file: "\${{ params.file }}", words: beyond.csv } }
`;
  const run = await world.start(above, { file: 'beyond.txt' });
  await world.ended(run);
  await rm(join(world.dir, 'pipelines/beyond.csv'));
  const lacks = await world.portolan(['undo', run, '--detach']);
  expect([lacks.code, lacks.err]).toEqual([2, expect.stringContaining(`steps.one.undo: steps.each.forEach.rows: there is no `)]);
  expect((await saidIn(world, 'beyond.txt')).trim()).toBe('one');
});
