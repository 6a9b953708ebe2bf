import type { ServerResponse } from 'node:http';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { useServer } from '../support/use-server.ts';
import { useWorld } from './support.ts';

const world = useWorld();
const api = new URL('../../index.ts', import.meta.url).href;

/** A service that makes an export: started by a POST, looked at by GETs, done when the test says so. */
const exports = { started: 0, looks: 0, state: 'running', hold: false };
let held: ServerResponse[] = [];
const server = useServer((request, response) => {
  request.resume();
  if (request.method === 'POST') {
    exports.started++;
    if (exports.hold) return void held.push(response);
    return void response.end(JSON.stringify({ id: `job-${exports.started}` }));
  }
  exports.looks++;
  if (exports.state === 'busy') {
    exports.state = 'running';
    return void response.writeHead(429, { 'retry-after': '1' }).end();
  }
  response.end(JSON.stringify({ state: exports.state, percent: exports.looks }));
});
const url = (): string => `${server.url()}/exports`;

const poll = (name: string, fields: string, look = ''): string => `import { definePoll, z } from ${JSON.stringify(api)};
export default definePoll({
  name: 'acme.${name}',
  input: z.strictObject({ url: z.url() }),
  output: z.object({ job: z.string(), looks: z.int() }),
  effect: 'never',
  operations: ['maps.user.get', 'maps.projects.create'],
  ${fields}
  async start({ url }, { fetch }) {
    const { id } = (await (await fetch(url, { method: 'POST' })).json()) as { id: string };
    return { id };
  },
  async check({ id }, context) {
    ${look}
    const reply = await context.fetch(\`\${context.input.url}/\${id}\`);
    const { state, percent } = (await reply.json()) as { state: string; percent: number };
    if (state === 'failed') throw new Error(\`\${id} failed\`);
    if (state !== 'done') return { againSeconds: 0.3, progress: { done: percent, total: 100, unit: '%', note: state } };
    return { output: { job: id, looks: percent } };
  },
});
`;
const pipeline = (use: string): string => `
name: exports
steps:
  export: { use: acme.${use}, with: { url: "${url()}" } }
outputs: { export: "\${{ steps.export }}" }
`;
const looked = (count: number): Promise<void> => expect.poll(() => exports.looks).toBeGreaterThanOrEqual(exports.looks + count);

beforeAll(async () => {
  await world.write('steps/export.mts', poll('export', ''));
  await world.write('steps/short.mts', poll('short', 'deadlineSeconds: 1,'));
  await world.write(
    'steps/writes.mts',
    poll('writes', '', "await context.invoke('maps.user.get', {}); await context.invoke('maps.projects.create', {} as never);"),
  );
  await world.worker.stop();
  await world.worker.start(0);
});
beforeEach(() => {
  Object.assign(exports, { started: 0, looks: 0, state: 'running', hold: false });
  held = [];
});

test('a poll is started once and looked at until it is done: a killed worker, a 429 and any number of looks are few events', async () => {
  const id = await world.start(pipeline('export'));
  await looked(3);
  await world.worker.kill();
  await world.worker.start(0);
  await looked(3);
  exports.state = 'busy';
  await looked(2);
  const seen = await world.until(id, ({ view }) => view.steps[0]?.progress !== undefined);
  expect(seen.view.steps[0]).toMatchObject({ kind: 'poll', status: 'running', progress: { total: 100, unit: '%' } });
  exports.state = 'done';
  const { view } = await world.ended(id);
  expect(view).toMatchObject({ state: 'done', outputs: { export: { job: 'job-1' } } });
  expect(exports.started).toBe(1);
  const events = await world.events(id);
  expect(events.filter(({ activityTaskScheduledEventAttributes: scheduled }) => scheduled)).toHaveLength(2);
  expect(await world.store(id).events()).not.toContainEqual(expect.objectContaining({ kind: 'failure' }));
});

test("what was started with effect 'never' and never answered is not started again", async () => {
  exports.hold = true;
  const id = await world.start(pipeline('export'));
  await expect.poll(() => held.length).toBe(1);
  await world.worker.kill();
  await world.worker.start(0);
  const { view } = await world.ended(id);
  expect(view).toMatchObject({ state: 'failed', error: { step: 'export', type: 'Undecided' } });
  expect(exports.started).toBe(1);
  const rerun = await world.portolan(['rerun', id]);
  expect([rerun.code, rerun.err]).toEqual([2, expect.stringContaining('--fate export=again')]);
  expect(exports.started).toBe(1);
});

test('a rerun takes over what was started; a person may have it started anew', async () => {
  exports.state = 'failed';
  const failed = (await world.run(pipeline('export'))).result;
  expect(failed).toMatchObject({
    state: 'failed',
    error: { message: 'job-1 failed', details: { at: [expect.stringContaining('/steps/export.mts:')] } },
  });
  exports.state = 'done';
  const rerun = async (run: string, ...more: string[]) => {
    const { code, out } = await world.portolan(['rerun', run, '--json', ...more]);
    expect(code).toBe(0);
    return JSON.parse(out.trim().split('\n').at(-1)!) as { run: string; outputs: { export: { job: string } } };
  };
  const same = await rerun(failed.run);
  expect([same.outputs.export.job, exports.started]).toEqual(['job-1', 1]);
  const anew = await rerun(failed.run, '--from', 'export', '--fate', 'export=again');
  expect([anew.outputs.export.job, exports.started]).toEqual(['job-2', 2]);
});

test('a poll that is not done at its deadline fails with what was seen last', async () => {
  const { result } = await world.run(pipeline('short'));
  expect(result).toMatchObject({
    state: 'failed',
    error: {
      type: 'ServiceFailed',
      message: expect.stringMatching(/^acme\.short is not done 1 s after its start \(deadlineSeconds\); last seen: \d+ of 100 %, running$/),
    },
  });
});

test('a look only reads', async () => {
  const { result } = await world.run(pipeline('writes'));
  expect(result).toMatchObject({
    state: 'failed',
    error: { type: 'BadInput', message: 'check of acme.writes calls maps.projects.create, which is no read: what acts belongs into start' },
  });
});
