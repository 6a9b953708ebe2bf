import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { useServer } from '../support/use-server.ts';
import { useWorld } from './support.ts';

const world = useWorld();
const api = new URL('../../index.ts', import.meta.url).href;

const { url } = useServer((request, response) => {
  request.resume();
  response.end('{}');
});

const imports = (): string =>
  `import { appendFileSync, existsSync } from 'node:fs';\nimport { defineStep, defineSweep, z } from ${JSON.stringify(api)};\nconst at = (name: string): string => ${JSON.stringify(`${world.dir}/`)} + name;\n`;
const step = (name: string, body: string): Promise<string> =>
  world.write(
    `steps/${name}.mts`,
    `${imports()}
export default defineStep({
  name: 'acme.${name}',
  input: z.strictObject({}),
  output: z.object({ attempt: z.int() }),
  effect: 'idempotent',
  async run(_, { attempt }) {
    appendFileSync(at('${name}.begun'), 'x');
    ${body}
    return { attempt };
  },
});
`,
  );
const sweep = (name: string, body: string, more = ''): Promise<string> =>
  world.write(
    `steps/${name}.mts`,
    `${imports()}
export default defineSweep({
  name: 'acme.${name}',
  input: z.strictObject({ count: z.int().default(6), url: z.string().default('') }),
  effect: 'idempotent',
  attempts: 2,
  *items({ count, url }) {
    for (let id = 0; id < count; id++) yield { id: \`i\${id}\`, url };
  },
  async each({ id, url }, { fetch, index, signal }) {
    ${body}
  },
  ${more}
});
`,
  );
const pipeline = (name: string, tolerate = ''): string => `
name: ${name}
steps:
  all: { use: acme.${name}${tolerate} }
outputs: { all: "\${{ steps.all }}" }
`;
const rewrite = async (file: string, ...changes: [string, string][]): Promise<void> => {
  let text = await readFile(file, 'utf8');
  for (const [from, to] of changes) text = text.replace(from, to);
  await writeFile(file, text);
};
const marks = async (file: string): Promise<number> => (await readFile(join(world.dir, file), 'utf8').catch(() => '')).length;

beforeAll(async () => {
  await step('block', "while (!existsSync(at('release'))) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);");
  await step('exit', 'process.exit(3);');
  await rewrite(await step('spins', 'for (;;);'), ["'idempotent',", "'idempotent',\n  attemptSeconds: 1,"]);
  await sweep('beside', 'await (await fetch(`${url}/${id}`)).text();', 'chunk: 5,');
  await sweep('exits', "if (id === 'i3') process.exit(3);");
  await sweep(
    'forgets',
    "if (id === 'i4') void Promise.reject(new TypeError(`no price of ${id}`)); await new Promise((done) => setTimeout(done, 50));",
  );
  // All items together hold the thread for longer than the time of one and the grace.
  const queues = await sweep('queues', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);', 'attemptSeconds: 4,');
  await rewrite(queues, ["'idempotent'", "'never'"], ['default(6)', 'default(4)']);
  await sweep('loops', "while (id === 'i2');", 'attemptSeconds: 1,');
  const charges = await sweep(
    'charges',
    "if (id === 'i2') process.exit(); if (index < 2) await new Promise(() => undefined);",
    'atOnce: 4,',
  );
  await rewrite(charges, ["'idempotent'", "'never'"]);
  await sweep(
    'hears',
    `appendFileSync(at('hears.begun'), 'x');
    await new Promise((done) => signal.addEventListener('abort', done));
    appendFileSync(at('hears.ended'), 'x');`,
  );
  // Commands and workers load files too, each in its main thread.
  for (const file of [await step('unloadable', ''), await sweep('unlisted', '')])
    await rewrite(
      file,
      ["'idempotent'", "'never'"],
      [
        'export default',
        `import { isMainThread } from 'node:worker_threads';
if (!isMainThread) {
  appendFileSync(at('${basename(file, '.mts')}.loaded'), 'x');
  process.exit(1);
}
export default`,
      ],
    );
  await world.worker.stop();
  await world.worker.start(0);
});

test('while the code of one step lets nothing else run, every other activity goes on and no attempt is lost', async () => {
  const id = await world.start(
    `
name: held
params: { url: { type: string } }
steps:
  held: { use: acme.block }
  beside: { use: acme.beside, with: { count: 40, url: "\${{ params.url }}" } }
  dataset: { use: dataset.ensure, with: { slug: beside } }
outputs: { held: "\${{ steps.held }}", beside: "\${{ steps.beside.done }}" }
`,
    { url: url() },
  );
  const statusOf = (step: string, { view }: { view: { steps: { id: string; status: string }[] } }) =>
    view.steps.find((each) => each.id === step)?.status;
  await world.until(id, (snapshot) => statusOf('beside', snapshot) === 'done' && statusOf('dataset', snapshot) === 'done');
  // Longer than the server waits for a heartbeat, counted in heartbeats.
  const beats = new Set<string>();
  const { workflowId } = await world.locate(id);
  while (beats.size < 5) {
    const { raw } = await world.client.workflow.getHandle(workflowId).describe();
    const [pending] = raw.pendingActivities ?? [];
    expect(pending).toMatchObject({ attempt: 1 });
    const { seconds, nanos } = pending!.lastHeartbeatTime ?? {};
    beats.add(`${String(seconds)}.${nanos}`);
  }
  await world.write('release', '');
  const { view } = await world.ended(id);
  expect(view).toMatchObject({ state: 'done', outputs: { held: { attempt: 1 }, beside: 40 } });
  expect(await marks('block.begun')).toBe(1);
  expect((await world.store(id).events()).filter(({ kind }) => kind === 'retry' || kind === 'failure')).toEqual([]);
});

test('process.exit ends the thread and not the worker; the step fails with it after three times', async () => {
  const pid = world.worker.pid();
  const { result } = await world.run(pipeline('exit'));
  expect(result).toMatchObject({
    state: 'failed',
    error: {
      type: 'ThreadEnded',
      message: 'the thread of the step ended: its code called process.exit(3)',
      details: { at: [expect.stringMatching(/\/steps\/exit\.mts:12:13$/)] },
    },
  });
  expect(await marks('exit.begun')).toBe(3);
  expect(world.worker.pid()).toBe(pid);
});

test('code that goes on without end is ended with its time, and the step fails with its line after three times', async () => {
  const { result } = await world.run(pipeline('spins'));
  expect(result).toMatchObject({
    state: 'failed',
    error: {
      type: 'ThreadEnded',
      message: 'the thread of the step ended: its code let nothing else run, past its time',
      details: { at: [expect.stringMatching(/\/steps\/spins\.mts:13:\d+$/)] },
    },
  });
  expect(await marks('spins.begun')).toBe(3);
});

test('a file that ends its thread while it is loaded fails its steps with that after three times, and the others go on', async () => {
  const pid = world.worker.pid();
  const run = await world.start(
    `
name: unloadable
params: { url: { type: string } }
steps:
  step: { use: acme.unloadable }
  sweep: { use: acme.unlisted }
  beside: { use: acme.beside, with: { url: "\${{ params.url }}" } }
`,
    { url: url() },
  );
  const { view } = await world.ended(run);
  expect(view).toMatchObject({
    state: 'failed',
    error: { type: 'ThreadEnded', message: 'the thread of the step ended: its code called process.exit(1)' },
    steps: [
      { id: 'step', status: 'failed' },
      { id: 'sweep', status: 'failed' },
      { id: 'beside', status: 'done' },
    ],
  });
  expect([await marks('unloadable.loaded'), await marks('unlisted.loaded')]).toEqual([3, 3]);
  expect(world.worker.pid()).toBe(pid);
});

test('the code of items hears that their run is cancelled', async () => {
  const run = await world.start(pipeline('hears'));
  await expect.poll(() => marks('hears.begun')).toBeGreaterThan(0);
  await world.portolan(['cancel', run]);
  expect((await world.ended(run)).view.state).toBe('cancelled');
  await expect.poll(() => marks('hears.ended')).toBe(await marks('hears.begun'));
});

const fates = async (name: string, tolerate: string) => {
  const pid = world.worker.pid();
  const { result } = await world.run(pipeline(name, `, tolerate: ${tolerate}`));
  expect(result.state).toBe('done');
  expect(world.worker.pid()).toBe(pid);
  return Object.fromEntries((await world.store(result.run).readItems({ step: 'all' })).map((row) => [row.item, row]));
};
const words = (rows: Record<string, { status: string }>): string =>
  Object.entries(rows)
    .map(([item, { status }]) => `${item} ${status}`)
    .join(', ');

test.each([
  ['exits', 'i3', /its code called process\.exit\(3\) \(exits\.mts:\d+:\d+\) \(2 attempts\)$/],
  ['forgets', 'i4', /nothing caught TypeError: no price of i4 \(forgets\.mts:\d+:\d+\) \(2 attempts\)$/],
  ['loops', 'i2', /^no end after 1 s, and its code let nothing else run \(loops\.mts:\d+:\d+\) \(2 attempts\)$/],
])('an item that ends or stops its thread (%s) is found, and the others are done', async (name, culprit, reason) => {
  const rows = await fates(name, '{ failed: 1 }');
  expect(words(rows)).toBe(
    ['i0', 'i1', 'i2', 'i3', 'i4', 'i5'].map((item) => `${item} ${item === culprit ? 'failed' : 'done'}`).join(', '),
  );
  expect(rows[culprit]!.reason).toMatch(reason);
});

test("with effect 'never' nobody knows what items did that were under way in a thread that ended, and the others are done", async () => {
  const rows = await fates('charges', '{ unknown: 100% }');
  expect(words(rows)).toMatch(/^i0 unknown, i1 unknown, i2 unknown, i3 (done|unknown), i4 done, i5 done$/);
});

test('behind code that lets nothing else run an item has its whole time', async () => {
  const rows = await fates('queues', '{ unknown: 0 }');
  expect(words(rows)).toBe('i0 done, i1 done, i2 done, i3 done');
});
