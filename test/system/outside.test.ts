import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { main } from '../../cli/frame/main.ts';
import { documents, type DocumentName } from '../../cli/json/documents.ts';
import { stopProcess } from '../support/stop-process.ts';
import { useWorld } from './support.ts';

// Of its own server: what is meant without a name depends on all runs of it.
const world = useWorld({ temporal: undefined });

const listing = `
name: listing
steps:
  all:
    use: api.call
    with: { operation: maps.projects.list, input: {} }
outputs: { seen: "\${{ size(steps.all.result.projects) >= 0 }}" }
`;

const failing = `
name: failing
steps:
  gone:
    use: api.call
    with: { operation: maps.projects.get, input: { project_id: 6e4ad1a0-9a2c-4f3d-8d6e-000000000000 } }
`;

let away: string;
beforeAll(async () => {
  // A folder whose run store is this world's and whose cluster is not there.
  away = join(world.dir, 'away');
  await mkdir(away);
  const config = { store: join(world.state, 'runs'), temporal: { address: '127.0.0.1:1' } };
  await writeFile(join(away, 'portolan.config.mts'), `export default ${JSON.stringify(config)};\n`);
});

const offline = (...argv: string[]) => world.portolan(argv, { cwd: away });
const json = <T>(out: string): T => JSON.parse(out.trim().split('\n').at(-1)!) as T;

test('what a run was, why it failed, its items and its report are there without a Temporal server', async () => {
  const { result } = await world.run(failing);
  expect(result.state).toBe('failed');
  const online = json<{ steps: object[] }>((await world.portolan(['status', result.run, '--json'])).out);

  const status = await offline('status', result.run, '--json');
  expect(status).toMatchObject({ code: 1, err: expect.stringMatching(/no Temporal server answers at 127\.0\.0\.1:1.*run store/) });
  expect(json<object>(status.out)).toMatchObject({ source: 'store', steps: online.steps, connections: { maps: 'local' } });

  const why = await offline('why', result.run);
  expect(why.out.replaceAll('../', '')).toBe((await world.portolan(['why', result.run])).out);
  expect(why.out).toContain('failed in step gone');
  expect(await offline('items', result.run)).toMatchObject({ code: 0, out: expect.stringContaining('no items') });
  expect(await offline('report', result.run)).toMatchObject({ code: 0, out: expect.stringContaining('report.html') });
  const lines = (await offline('runs', '--json')).out.trim().split('\n');
  expect(lines.map((line) => json<{ run: string; state: string }>(line))).toContainEqual(
    expect.objectContaining({ run: result.run, state: 'failed', endedAt: expect.any(String) }),
  );
});

test('of a run that has not ended it is said that nobody knows more', async () => {
  const { id } = await world.control.fault('maps.projects.list', 1, { hold: 'before' });
  const run = await world.start(listing);
  expect(await world.control.held(id)).toBe(true);
  const status = await offline('status', run);
  expect(status).toMatchObject({ code: 0, out: expect.stringContaining('whether the run goes on is not known') });
  expect((await offline('cancel', run)).err).toContain('no Temporal server answers');
  await world.control.release(id);
  await world.ended(run);
});

test('a server that is silent for a while, as a loaded one is, is waited for', async () => {
  await stopProcess(world.temporal.pid!);
  const waiting = Promise.withResolvers<void>();
  let said = '';
  const quiet = { write: () => true };
  const runs = main(['runs'], {
    cwd: world.dir,
    stdout: quiet,
    stderr: {
      write: (text: string) => {
        said += text;
        if (text.startsWith('waiting for the Temporal server at ')) waiting.resolve();
        return true;
      },
    },
  });
  await Promise.race([waiting.promise, runs]);
  process.kill(world.temporal.pid!, 'SIGCONT');
  expect([await runs, said]).toEqual([
    0,
    expect.stringMatching(/^waiting for the Temporal server at 127\.0\.0\.1:\d+: silent for 3 s now.*\n$/),
  ]);
});

test('without a name the newest run is meant, and for what acts the one that is open', async () => {
  const first = await world.start(listing);
  expect(await world.portolan(['wait', first, '--json'])).toMatchObject({ code: 0 });
  const { id } = await world.control.fault('maps.projects.list', 1, { hold: 'before' });
  const second = await world.start(listing);
  expect(await world.control.held(id)).toBe(true);
  expect(json<{ run: string }>((await world.portolan(['status', '--json'])).out).run).toBe(second);
  expect(await world.portolan(['pause'])).toMatchObject({ code: 0, out: expect.stringContaining(`${second} paused`) });
  expect(await world.portolan(['resume'])).toMatchObject({ code: 0, out: expect.stringContaining(second) });
  await world.control.release(id);

  const waited = await world.portolan(['wait', '--json']);
  expect(waited.code).toBe(0);
  expect(waited.out.trim().split('\n')).toHaveLength(1);
  expect(json<object>(waited.out)).toMatchObject({ type: 'result', run: second, state: 'done', outputs: { seen: true } });
  const watched = await world.portolan(['watch', second]);
  expect(watched).toMatchObject({ code: 0, out: expect.stringContaining('✓ listing') });
  expect(await world.portolan(['cancel'])).toMatchObject({ code: 1, err: expect.stringContaining('no run is open') });
});

test('wait ends with the exit code of the run', async () => {
  const run = await world.start(failing);
  expect(await world.portolan(['wait', run])).toMatchObject({ code: 1, out: expect.stringContaining('failed') });
});

test('under --json an error is a line of JSON too', async () => {
  const { code, out, err } = await world.portolan(['status', 'nothing-of-that-name', '--json']);
  expect(json<object>(out)).toEqual({
    type: 'error',
    message: expect.stringContaining('no run'),
    remedy: 'portolan runs lists them',
    exit: code,
  });
  expect(err).toContain('no run');
  // Of a verb whose --json takes a text, nothing is JSON.
  expect((await world.portolan(['call', 'maps.projects.get', '--json', '{'])).out).toBe('');
});

const gated = `
name: gated
steps:
  review: { use: gate.approve, with: { show: all } }
`;

test('a decision on a step of another name names the one that was meant, and those that wait', async () => {
  const { result } = await world.run(gated);
  expect(result.state).toBe('approval');
  const { code, err } = await world.portolan(['approve', result.run, 'reveiw']);
  expect(code).toBe(1);
  expect(err).toMatch(/waits for no decision[^]*did you mean 'review'\? waiting for a person: review/);
  const { out } = await world.portolan(['approve', result.run, 'review', '--note', 'seen', '--as', 'ann', '--json']);
  expect(json<object>(out)).toEqual({ run: result.run, step: 'review', approve: true, who: 'ann', note: 'seen' });
  expect((await world.portolan(['wait', result.run])).code).toBe(0);
});

test('Ctrl-C before a run has begun begins none', async () => {
  const before = (await world.portolan(['runs', '--json'])).out;
  const { id } = await world.control.fault('maps.user.get', 1, { hold: 'before' });
  const interrupt = new AbortController();
  const said = world.portolan(['run', await world.pipeline(listing), '--connection', 'local', '--json'], { signal: interrupt.signal });
  expect(await world.control.held(id)).toBe(true);
  interrupt.abort();
  await world.control.release(id);
  const { code, out, err } = await said;
  expect([code, err]).toEqual([130, expect.stringContaining('nothing was started')]);
  expect(JSON.parse(out.trim().split('\n').at(-1)!)).toMatchObject({
    type: 'error',
    message: 'interrupted: nothing was started',
    exit: 130,
  });
  expect((await world.portolan(['runs', '--json'])).out).toBe(before);
});

/** Every line of a command, held to the schema of its kind. */
const held = async (name: DocumentName, ...argv: string[]): Promise<void> => {
  const { out } = await world.portolan([...argv, '--json']);
  const lines = out.trim().split('\n');
  expect(lines).not.toEqual(['']);
  for (const line of lines) documents[name].schema.parse(JSON.parse(line));
};

test('what commands write of a run under --json is what docs/json says, while it waits and when it is over', async () => {
  const { result, lines } = await world.run(gated);
  documents.result.schema.parse(result);
  for (const line of lines.slice(0, -1)) documents.event.schema.parse(line);
  await held('status', 'status', result.run);
  await held('why', 'why', result.run);
  await held('run', 'runs', '--limit', '50');
  await held('decision', 'approve', result.run, 'review', '--note', 'seen');
  await held('result', 'wait', result.run);
  await held('status', 'status', result.run);
  await held('report', 'report', result.run);
  const failed = await world.run(failing);
  documents.result.schema.parse(failed.result);
  await held('status', 'status', failed.result.run);
  await held('why', 'why', failed.result.run);
});
