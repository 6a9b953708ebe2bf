import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { executions, findGarbage } from '../../runs/garbage.ts';
import { deleteSchedule } from '../../runs/schedule/delete.ts';
import { findSchedule, scheduleHandle } from '../../runs/schedule/read.ts';
import { alertDocument } from '../../alerts/document.ts';
import { alertReceiver, isGenuine, type AlertReceiver } from '../support/alert-receiver.ts';
import type { RunSnapshot } from '../../runs/view.ts';
import { useWorld } from './support.ts';

const world = useWorld();
const secret = 'canary-of-a-channel-4711';
const api = new URL('../../index.ts', import.meta.url).href;
let receiver: AlertReceiver;

beforeAll(async () => {
  receiver = await alertReceiver();
  process.env['ALERT_SECRET'] = secret;
  await world.write(
    'steps/does.mts',
    `import { existsSync } from 'node:fs';
import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({
  name: 'acme.does',
  input: z.strictObject({ fails: z.boolean().default(false) }),
  output: z.object({}),
  effect: 'safe',
  run({ fails }) {
    if (fails) throw new Error('the moon is full');
    return {};
  },
});
`,
  );
  await world.write(
    'begun.mjs',
    `import { appendFileSync, existsSync, readFileSync } from 'node:fs';
appendFileSync('begun.jsonl', readFileSync(0));
while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 20));
`,
  );
  await world.write(
    'portolan.config.mts',
    `export default {
  secrets: { hook: { env: 'ALERT_SECRET' } },
  channels: {
    ops: { webhook: '${receiver.url}', secret: 'hook' },
    program: { command: [${JSON.stringify(process.execPath)}, 'begun.mjs'] },
  },
};`,
  );
  await world.worker.stop();
  await world.worker.start(0);
});
beforeEach(() => {
  receiver.answer = (response) => void response.end();
});
afterAll(() => receiver.close());

const failing = (to: string): string => `name: moon
notify: { on: [failed], to: [${to}] }
steps:
  look: { use: acme.does, with: { fails: true } }
`;

const documentOf = (body: string) => alertDocument.parse(JSON.parse(body));

test('a run that fails is alerted to once, in a signed document that names step, error, remedy and what to type', async () => {
  const run = await world.start(failing('ops'));
  await receiver.until((all) => all.some(({ id }) => id === `${run}/failed`));
  await world.ended(run);
  const [received, ...more] = receiver.of(`${run}/failed`);
  expect(more).toEqual([]);
  expect(documentOf(received!.body)).toMatchObject({
    id: `${run}/failed`,
    on: 'failed',
    pipeline: 'moon',
    run,
    state: 'failed',
    step: 'look',
    error: { message: expect.stringContaining('the moon is full') },
    commands: { why: `portolan why ${run} look`, rerun: `portolan rerun ${run}` },
  });
  await world.client.workflow.getHandle(`portolan/alert/${run}/failed`).result();
  const { out } = await world.portolan(['status', run, '--json']);
  expect(JSON.parse(out)).toMatchObject({ alerts: [{ on: 'failed', step: 'look', channel: 'ops', is: 'sent' }] });
  expect((await world.portolan(['status', run])).out).toMatch(/alert +failed look +ops +sent/);
  expect(isGenuine(received!, secret)).toBe(true);
  expect(isGenuine({ ...received!, body: received!.body.replace('moon', 'noon') }, secret)).toBe(false);
  expect(isGenuine(received!, 'another')).toBe(false);
  expect(JSON.stringify(received)).not.toContain(secret);
});

test('a gate that waits is alerted to, and the command of its document approves it', async () => {
  const run = await world.start(`name: asks
notify: { on: [approval], to: [ops] }
steps:
  ok: { use: gate.approve, with: { who: security } }
  act: { use: acme.does, needs: [ok] }
`);
  await receiver.until((all) => all.some(({ id }) => id === `${run}/approval/ok`));
  const document = documentOf(receiver.of(`${run}/approval/ok`)[0]!.body);
  expect(document).toMatchObject({ on: 'approval', state: 'approval', step: 'ok', gate: { who: 'security' } });
  const said = await world.portolan(document.commands['approve']!.split(' ').slice(1));
  expect(said).toMatchObject({ code: 0 });
  const { view } = await world.ended(run);
  expect(view.state).toBe('done');
  expect(receiver.all.filter(({ id }) => id.startsWith(run))).toHaveLength(1);
});

test('a run that fails ends at once, while its alert is tried again with the same id until a 2xx; a redirect is not followed', async () => {
  const answers = [
    (response: { writeHead: (status: number, headers?: Record<string, string>) => { end(): void } }) =>
      response.writeHead(302, { location: receiver.url.replace('/hook', '/elsewhere') }).end(),
    (response: { writeHead: (status: number, headers?: Record<string, string>) => { end(): void } }) =>
      response.writeHead(503, { 'retry-after': '3' }).end(),
  ];
  const at: number[] = [];
  receiver.answer = (response) => {
    at.push(performance.now());
    const answer = answers.shift();
    if (answer) answer(response);
    else response.end();
  };
  const run = await world.start(failing('ops'));
  expect((await world.ended(run)).view.state).toBe('failed');
  await receiver.until((all) => all.filter(({ id }) => id === `${run}/failed`).length === 3);
  expect(receiver.all.some(({ path }) => path === '/elsewhere')).toBe(false);
  expect(new Set(receiver.of(`${run}/failed`).map(({ body }) => body)).size).toBe(1);
  expect(at[2]! - at[1]!).toBeGreaterThanOrEqual(3_000);
});

test('after a kill an alert whose answer was lost is sent again with its id, and a command that was begun is not', async () => {
  const held: (() => void)[] = [];
  receiver.answer = (response) => void held.push(() => response.end());
  const run = await world.start(failing('ops, program'));
  const begun = async (): Promise<string[]> =>
    (await readFile(join(world.dir, 'begun.jsonl'), 'utf8').catch(() => '')).split('\n').filter((line) => line.includes(run));
  await receiver.until((all) => all.some(({ id }) => id === `${run}/failed`));
  await expect.poll(begun).toHaveLength(1);
  await world.worker.kill();
  receiver.answer = (response) => void response.end();
  await world.worker.start(0);
  await receiver.until((all) => all.filter(({ id }) => id === `${run}/failed`).length === 2);
  await world.client.workflow.getHandle(`portolan/alert/${run}/failed`).result();
  await writeFile(join(world.dir, 'go'), '');
  expect(receiver.of(`${run}/failed`)).toHaveLength(2);
  expect(await begun()).toHaveLength(1);
});

const okay = (notify: string): string => `name: tide
notify: ${notify}
steps:
  look: { use: acme.does }
`;

test('a run that is done after one that failed is alerted to as recovered, the one after it is not', async () => {
  const notify = '{ on: [recovered], to: [ops] }';
  const failed = await world.start(okay(notify).replace('acme.does }', 'acme.does, with: { fails: true } }'));
  await world.ended(failed);
  const [first, second] = [await world.start(okay(notify)), await world.start(okay(notify))];
  await Promise.all([first, second].map(world.ended));
  await receiver.until((all) => all.some(({ body }) => body.includes('"recovered"')));
  const again = await world.start(okay(notify));
  await world.ended(again);
  const alerts = receiver.all.map(({ body }) => documentOf(body)).filter(({ pipeline }) => pipeline === 'tide');
  expect(alerts).toMatchObject([{ on: 'recovered', state: 'done', run: expect.stringMatching(`^(${first}|${second})$`) }]);
});

test('a run that takes a failed one back is no run of the pipeline: the next one that is done has recovered', async () => {
  const file = (fails: boolean): string => `name: ebb
notify: { on: [failed, recovered], to: [ops] }
steps:
  first: { use: acme.does, undo: { use: acme.does } }
  look: { use: acme.does, needs: [first], with: { fails: ${fails} } }
`;
  const failed = await world.start(file(true));
  await world.ended(failed);
  expect((await world.portolan(['undo', failed, '--json'])).code).toBe(0);
  const done = await world.start(file(false));
  await world.ended(done);
  await receiver.until((all) => all.some(({ id }) => id === `${done}/recovered`));
  expect(receiver.all.some(({ id }) => id.startsWith(`${failed}.undo`))).toBe(false);
});

test('the alert of an undo that failed names the undo to go on with', async () => {
  const run = await world.start(`name: slack
notify: { on: [failed], to: [ops] }
steps:
  first: { use: acme.does, undo: { use: acme.does, with: { fails: true } } }
`);
  await world.ended(run);
  expect((await world.portolan(['undo', run, '--json'])).code).toBe(1);
  const failed = `${run}.undo/failed`;
  await receiver.until(() => receiver.of(failed).length > 0);
  expect(documentOf(receiver.of(failed)[0]!.body)).toMatchObject({
    run: `${run}.undo`,
    text: expect.stringMatching(/^the undo of slack failed in undo_first: /),
    commands: { why: `portolan why ${run}.undo undo_first`, undo: `portolan undo ${run}` },
  });
  expect(documentOf(receiver.of(failed)[0]!.body).commands).not.toHaveProperty('rerun');
});

test('a pipeline of which no run has been done for the time it gives is alerted to as late, once until the next one is', async () => {
  const notify = '{ late: 2s, to: [ops] }';
  const late = (run: string) => receiver.of(`${run}/late`);
  const first = await world.start(okay(notify));
  await receiver.until(() => late(first).length > 0);
  expect(documentOf(late(first)[0]!.body)).toMatchObject({ on: 'late', state: 'late', run: first, pipeline: 'tide' });
  const second = await world.start(okay(notify));
  await receiver.until(() => late(second).length > 0);
  expect(late(first)).toHaveLength(1);
  // Without `late` there is nothing left to wait for.
  await world.ended(await world.start(okay('{ on: [recovered], to: [ops] }')));
  await world.client.workflow.getHandle(`portolan/watch/${world.taskQueue}/tide`).result();
});

test('runs that fail do not put off that a pipeline is late: the time counts from the last that was done', async () => {
  const ebb = (fails: boolean, notify = 'notify: { late: 3s, to: [ops] }'): string =>
    `name: ebb\n${notify}\nsteps:\n  look: { use: acme.does, with: { fails: ${fails} } }\n`;
  const done = await world.start(ebb(false));
  await world.ended(done);
  let late = false;
  const failing = (async () => {
    while (!late) await world.ended(await world.start(ebb(true)));
  })();
  await receiver.until(() => receiver.of(`${done}/late`).length > 0);
  late = true;
  await failing;
  // Without `late` there is nothing left to wait for.
  await world.ended(await world.start(ebb(false, 'notify: { on: [recovered], to: [ops] }')));
});

const northAndSouth = `name: gulf
params: { fails: { type: boolean, default: false } }
environments:
  north: { params: { fails: true } }
  south: { params: { fails: false } }
notify: { on: [recovered], to: [ops] }
steps:
  look: { use: acme.does, with: { fails: "\${{ params.fails }}" } }
`;

test('a run in one environment says nothing of those in another, and a rerun is in the environment of the run before it', async () => {
  const file = await world.pipeline(northAndSouth);
  const runIn = async (...argv: string[]): Promise<RunSnapshot> => {
    const { code, out, err } = await world.portolan([...argv, '--detach', '--json']);
    expect([code, err]).toEqual([0, '']);
    return world.ended((JSON.parse(out.trim().split('\n').at(-1)!) as { run: string }).run);
  };
  const north = await runIn('run', file, '--env', 'north');
  const south = await runIn('run', file, '--env', 'south');
  // By the default of the file it would be done.
  const again = await runIn('rerun', north.view.run);
  expect([north, south, again].map(({ view }) => view.state)).toEqual(['failed', 'done', 'failed']);
  const mended = await runIn('rerun', again.view.run, '-p', 'fails=false');
  expect(mended.view.state).toBe('done');
  await receiver.until(() => receiver.of(`${mended.view.run}/recovered`).length > 0);
  expect(receiver.of(`${south.view.run}/recovered`)).toEqual([]);
  expect(documentOf(receiver.of(`${mended.view.run}/recovered`)[0]!.body).environment).toBe('north');
});

test('of a schedule that nothing has run it is alerted that it is late, from when it was applied, and not while it is paused', async () => {
  const name = 'neap';
  const file = await world.write(
    `pipelines/${name}.yaml`,
    `${okay('{ late: 2s, to: [ops] }').replace('tide', name)}schedule: { every: 1d }
`,
  );
  const schedule = async (...argv: string[]): Promise<string> => {
    const { code, out, err } = await world.portolan(['schedule', ...argv]);
    expect([code, err]).toEqual([0, '']);
    return out;
  };
  const ofSchedule = () => receiver.all.map(({ body }) => documentOf(body)).filter((each) => each.schedule === name);
  await schedule('apply', file, '--yes');
  await receiver.until(() => ofSchedule().length > 0);
  expect(ofSchedule()[0]).toMatchObject({
    on: 'late',
    pipeline: name,
    text: expect.stringMatching(/^neap is late: no run of schedule neap has been done since 20/),
    commands: { schedule: 'portolan schedule show neap' },
  });
  expect(ofSchedule()[0]!.run).toBeUndefined();
  const triggered = async (): Promise<string> => {
    const { run } = JSON.parse(await schedule('trigger', name, '--json')) as { run: string };
    await world.ended(run);
    return run;
  };
  const first = await triggered();
  await receiver.until(() => receiver.of(`${first}/late`).length > 0);
  // Were it still expected while it is paused, the next alert would be of this run.
  await schedule('pause', name);
  const second = await triggered();
  await schedule('resume', name);
  await receiver.until(() => ofSchedule().length > 1);
  expect(receiver.of(`${second}/late`)).toEqual([]);
  await schedule('delete', name, '--yes');
  await world.client.workflow.getHandle(`portolan/watch/${world.taskQueue}/${name}`).result();
});

test('a watch that was not told what became of its schedule is told by the same command again, and by `resume` of what others paused', async () => {
  const name = 'spring';
  const file = await world.write(
    `pipelines/${name}.yaml`,
    `${okay('{ late: 1s, to: [ops] }').replace('tide', name)}schedule: { every: 1d }\n`,
  );
  const schedule = async (...argv: string[]): Promise<void> => {
    const { code, err } = await world.portolan(['schedule', ...argv]);
    expect([code, err]).toEqual([0, '']);
  };
  const late = (times: number) =>
    receiver.until(() => receiver.all.filter(({ body }) => documentOf(body).schedule === name).length === times);
  const watch = world.client.workflow.getHandle(`portolan/watch/${world.taskQueue}/${name}`);
  await schedule('apply', file, '--yes');
  await late(1);
  // As if it had never been told.
  await watch.terminate();
  await schedule('apply', file, '--yes');
  await late(2);
  // As `pauseOnFailure` does, and the Web UI.
  await scheduleHandle(world.place, name).pause('a run of it failed');
  await schedule('resume', name);
  await late(3);
  const deaf = Object.defineProperty(Object.create(world.client) as typeof world.client, 'workflow', {
    get() {
      throw new Error('the watch is not told');
    },
  });
  const there = await findSchedule(world.place, name);
  await expect(deleteSchedule({ ...world.place, client: deaf }, there)).rejects.toThrow('the watch is not told');
  await schedule('delete', name, '--yes');
  await watch.result();
});

test('the last run that was done of a pipeline that alerts to being late is no garbage: the alert is recorded there', async () => {
  const done = async (): Promise<string> => {
    const undo = 'use: acme.does, undo: { use: api.call, with: { operation: maps.user.get } }';
    const run = await world.start(okay('{ late: 32d, to: [ops] }').replace('use: acme.does', undo));
    expect((await world.ended(run)).view.state).toBe('done');
    // The cluster's list is some seconds behind.
    await expect.poll(async () => (await executions(world.place)).get(run)?.open).toBe(false);
    return run;
  };
  const [first, second] = [await done(), await done()];
  // What takes it back counts as no run of the pipeline.
  expect((await world.portolan(['undo', second])).code).toBe(0);
  await expect.poll(async () => (await executions(world.place)).get(`${second}.undo`)?.open).toBe(false);
  const day = 86_400_000;
  const found = await findGarbage(world.place, { olderThanMs: day, workAfterMs: day }, Date.now() + 31 * day);
  const gone = found.filter(({ why }) => why === 'age').map(({ run }) => run);
  expect([gone.includes(first), gone.includes(second)]).toEqual([true, false]);
});
