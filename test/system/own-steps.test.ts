import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { useWorld } from './support.ts';

const world = useWorld();

const api = new URL('../../index.ts', import.meta.url).href;
const step = (name: string, effect: string, body: string): string => `import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({
  name: '${name}',
  input: z.strictObject({ names: z.array(z.string()) }),
  output: z.object({ count: z.int(), first: z.string() }),
  effect: '${effect}',
  async run({ names }: { names: string[] }, context) {
    ${body}
  },
});
`;
const pipeline = (use: string): string => `
name: own
steps:
  own: { use: ${use}, with: { names: [Ada, Grace] } }
outputs: { own: "\${{ steps.own }}" }
`;

beforeAll(async () => {
  await world.write(
    'steps/greet.mts',
    step(
      'acme.greet',
      'safe',
      'context.progress({ done: 1, total: names.length, unit: "names" }); return { count: names.length, first: `Hello, ${names[0]}` };',
    ),
  );
  await world.write(
    'steps/shaky.mts',
    step(
      'acme.shaky',
      'idempotent',
      'if (context.attempt < 3) throw Object.assign(new Error("not yet there"), { retryable: true }); return { count: context.attempt, first: names[0]! };',
    ),
  );
  await world.write('steps/broken.mts', step('acme.broken', 'safe', 'return { count: "two" } as never;'));
  await world.write(
    'lib/price.ts',
    'export const price = (name: string): number => {\n  throw new TypeError(`no price of ${name}`);\n};\n',
  );
  await world.write(
    'steps/priced.mts',
    step('acme.priced', 'safe', 'return { count: price(names[0]!), first: "" };').replace(
      '\n',
      "\nimport { price } from '../lib/price.ts';\n",
    ),
  );
  await world.write(
    'steps/where.mts',
    `import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({
  name: 'acme.where',
  input: z.strictObject({ file: z.string() }),
  output: z.object({ file: z.string() }),
  effect: 'safe',
  paths: ['file'],
  run: ({ file }) => ({ file }),
});
`,
  );
  // A worker reads the step files when it starts.
  await world.worker.stop();
  await world.worker.start(0);
});

test('a step of one file runs, typed and checked', async () => {
  expect((await world.run(pipeline('acme.greet'))).result).toMatchObject({
    state: 'done',
    outputs: { own: { count: 2, first: 'Hello, Ada' } },
  });
});

test('a path of an own step that begins with an expression is seen from the folder of the file', async () => {
  const { result } = await world.run(`
name: where
steps:
  greeted: { use: acme.greet, with: { names: [late] } }
  one: { use: acme.where, with: { file: "\${{ steps.greeted.count }}.csv" } }
outputs: { file: "\${{ steps.one.file }}" }
`);
  expect(result.error).toBeUndefined();
  expect(result.outputs['file']).toMatch(/^\/.*\/pipelines\/1\.csv$/);
});

test('a failure that may pass is tried again, and the run shows it', async () => {
  const { result } = await world.run(pipeline('acme.shaky'));
  expect(result).toMatchObject({ state: 'done', outputs: { own: { count: 3 } } });
  expect((await world.store(result.run).events()).filter(({ kind }) => kind === 'retry')).toHaveLength(2);
});

test('a failure of the code names file and line, in why, in the result and in the log', async () => {
  const { result } = await world.run(pipeline('acme.priced'));
  expect(result).toMatchObject({ state: 'failed', error: { type: 'TypeError', message: 'no price of Ada' } });
  expect(result.error!.details!.at).toEqual([`${world.dir}/lib/price.ts:2:9`, expect.stringMatching(/\/steps\/priced\.mts:9:\d+$/)]);
  const why = await world.portolan(['why', result.run]);
  expect(why.out).toMatch(/^ +at +lib\/price\.ts:2:9, from steps\/priced\.mts:9:\d+$/m);
  expect(JSON.parse((await world.portolan(['why', result.run, '--json'])).out).lines[1]).toMatchObject({ label: 'at' });
  expect(await readFile(join(world.state, 'logs', 'worker-0.log'), 'utf8')).toMatch(
    /acme\.priced: TypeError: no price of Ada\n +at price \(/,
  );
});

test('an output that does not fit its schema fails the run', async () => {
  const { result } = await world.run(pipeline('acme.broken'));
  expect(result).toMatchObject({
    state: 'failed',
    error: {
      step: 'own',
      message: 'the output does not fit its schema: output.count: Invalid input: expected number, received string',
      details: { at: [`${world.dir}/steps/broken.mts:7:3`] },
    },
  });
});

test('wrong input is refused before the run', async () => {
  const { code, err } = await world.portolan([
    'run',
    await world.pipeline(pipeline('acme.greet').replace('names:', 'name:')),
    '-c',
    'local',
  ]);
  expect([code, err]).toEqual([2, expect.stringContaining("did you mean 'names'?")]);
});
