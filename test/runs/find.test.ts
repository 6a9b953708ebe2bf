import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPaint } from '../../cli/render/paint.ts';
import { renderRuns } from '../../cli/render/runs.ts';
import type { Plan } from '../../pipelines/plan.ts';
import { findRun, storedRuns } from '../../runs/find.ts';
import { listRuns } from '../../runs/list.ts';
import { readRunById } from '../../runs/view.ts';
import { newRunId } from '../../runs/run-id.ts';
import { startRun } from '../../runs/start.ts';

type Execution = { workflowId: string; runId: string; memo: Record<string, unknown>; startTime: Date; status: { name: string } };

/** The part of a cluster that start and find use. */
const cluster = (executions: Execution[]): Client => {
  const open = new Map<string, Execution>(
    executions.filter(({ status }) => status.name === 'RUNNING').map((execution) => [execution.workflowId, execution]),
  );
  return {
    workflow: {
      async *list() {
        yield* executions;
      },
      getHandle: (workflowId: string) => ({
        describe: async () => open.get(workflowId) ?? Promise.reject(new WorkflowNotFoundError('not found', workflowId, undefined)),
      }),
      async start(workflowType: string, { workflowId, memo }: { workflowId: string; memo: Record<string, unknown> }) {
        if (open.has(workflowId)) throw new WorkflowExecutionAlreadyStartedError('already', workflowId, workflowType);
        open.set(workflowId, { workflowId, runId: 'r1', memo, startTime: new Date(), status: { name: 'RUNNING' } });
        return { firstExecutionRunId: 'r1' };
      },
    },
  } as unknown as Client;
};

const execution = (run: string, workflowId = run, name = 'RUNNING'): Execution => ({
  workflowId,
  runId: `${run}-1`,
  memo: { run, pipeline: 'ingest', store: `file:///elsewhere/${run}`, startedBy: 'ada@ship', connections: { maps: 'local' } },
  startTime: new Date('2026-11-21T12:00:00Z'),
  status: { name },
});

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'portolan-runs-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const stored = async (run: string): Promise<void> => {
  await mkdir(join(root, run));
  await writeFile(
    join(root, run, 'run.json'),
    JSON.stringify({
      run,
      workflowId: `wf-${run}`,
      firstRunId: 'r0',
      store: pathToFileURL(join(root, run)).href,
      startedAt: '2026-11-20T00:00:00Z',
      pipeline: 'ingest',
      connections: {},
      startedBy: 'bob',
    }),
  );
};

describe('a run is found', () => {
  test('by its id or a unique beginning of it, in the run store first', async () => {
    await stored('ingest-2026-11-20-aaaa');
    await mkdir(join(root, 'known'));
    for (const id of ['ingest-2026-11-20-aaaa', 'ingest'])
      expect(await findRun({ client: cluster([execution('ingest-2026-11-21-bbbb')]), storeRoot: root }, id)).toMatchObject({
        workflowId: 'wf-ingest-2026-11-20-aaaa',
      });
  });

  test('by the memo of its workflow where no folder is here', async () => {
    const place = {
      client: cluster([execution('ingest-2026-11-21-bbbb', 'portolan/local/movies')]),
      storeRoot: pathToFileURL(join(root, 'absent')).href,
    };
    expect(await findRun(place, 'ingest-2026')).toEqual({
      run: 'ingest-2026-11-21-bbbb',
      workflowId: 'portolan/local/movies',
      store: 'file:///elsewhere/ingest-2026-11-21-bbbb',
    });
  });

  test.each(['', '{"run":"ingest-2026', '{}', 'null'])(
    'not without a cluster by a damaged record, whose file is named: %j',
    async (text) => {
      await stored('ingest-old');
      const file = join(root, 'ingest-old', 'run.json');
      await writeFile(file, text);
      await expect(findRun({ storeRoot: root }, 'ingest-old')).rejects.toMatchObject({
        name: 'DamagedFile',
        message: `${file} is damaged: it is not what was written there`,
        remedy: expect.stringContaining('Temporal knows the run too'),
      });
      // Asked, the cluster does not know it either.
      await expect(findRun({ storeRoot: root, client: cluster([]) }, 'ingest-old')).rejects.toThrow(
        'the cluster does not know run ingest-old',
      );
    },
  );

  test('never by a prefix that several share, which are named', async () => {
    await stored('ingest-a');
    await stored('ingest-b');
    await expect(findRun({ client: cluster([]), storeRoot: root }, 'ingest')).rejects.toThrow(
      "'ingest' begins the ids of 2 runs: ingest-a, ingest-b",
    );
    expect((await findRun({ client: cluster([]), storeRoot: root }, 'ingest-a')).run).toBe('ingest-a');
  });

  test.each(['nope', '../etc', '', 'a/b'])('%j is no run', async (id) => {
    await expect(findRun({ client: cluster([execution('ingest-1')]), storeRoot: root }, id)).rejects.toMatchObject({
      remedy: 'portolan runs lists them',
    });
  });
});

test('lists runs newest first, a run continued as new once, and forgotten ones from their folders', async () => {
  await stored('ingest-old');
  const again = { ...execution('ingest-1', 'w', 'CONTINUED_AS_NEW'), startTime: new Date('2026-11-21T11:00:00Z') };
  const lines = await listRuns({ client: cluster([execution('ingest-1', 'w'), again]), storeRoot: root });
  expect(lines.map(({ run, state, startedAt }) => [run, state, startedAt])).toEqual([
    ['ingest-1', 'running', '2026-11-21T11:00:00.000Z'],
    ['ingest-old', 'forgotten', '2026-11-20T00:00:00Z'],
  ]);
});

describe('a run whose folder does not say how it ended, because that file is damaged', () => {
  const whole = JSON.stringify({ view: { run: 'ingest-old', state: 'done', steps: [] }, runId: 'r0', endedAt: 'now', historyEvents: 1 });
  const file = (): string => join(root, 'ingest-old', 'view.json');
  const damages = [whole.slice(0, whole.length / 2), '', '{}', 'null', '{"view":{"state":"done"},"endedAt":"now"}'];

  test.each(damages)('is not said to go on, and hides no other, in a list: %j', async (text) => {
    await stored('ingest-old');
    await stored('ingest-open');
    await writeFile(file(), text);
    const states = async (client?: Client) =>
      Object.fromEntries((await listRuns({ storeRoot: root, ...(client && { client }) })).map(({ run, state }) => [run, state]));
    expect(await states()).toEqual({ 'ingest-old': 'forgotten', 'ingest-open': 'running' });
    expect(await states(cluster([]))).toEqual({ 'ingest-old': 'forgotten', 'ingest-open': 'forgotten' });
    await writeFile(file(), whole);
    expect(await states()).toEqual({ 'ingest-old': 'done', 'ingest-open': 'running' });
  });

  test.each(damages)('is listed with the file that is damaged, where nothing else says how it ended: %j', async (text) => {
    await stored('ingest-old');
    await writeFile(file(), text);
    const [line] = await listRuns({ storeRoot: root, client: cluster([]) });
    expect(line!.damaged).toMatch(`${file()} is damaged: `);
    expect(renderRuns([line!], createPaint(false))).toContain(`, ${line!.damaged}`);
    await writeFile(file(), whole);
    expect((await listRuns({ storeRoot: root }))[0]).not.toHaveProperty('damaged');
  });

  test.each(damages)('is asked about itself an error that names the file: %j', async (text) => {
    await stored('ingest-old');
    await writeFile(file(), text);
    for (const place of [{ storeRoot: root }, { storeRoot: root, client: cluster([]) }])
      await expect(readRunById(place, 'ingest-old')).rejects.toMatchObject({
        name: 'DamagedFile',
        message: expect.stringMatching(`^${file()} is damaged: `),
        remedy: expect.stringContaining('Temporal alone says how the run ended'),
      });
  });
});

test('a run that has its folder, and whose workflow does not say yet which run it is, goes on', async () => {
  await stored('ingest-young');
  const young = { ...execution('ingest-young', 'wf-ingest-young'), memo: { schedule: { every: '1h' } } };
  const [line] = await listRuns({ client: cluster([young]), storeRoot: root });
  expect(line).toMatchObject({ run: 'ingest-young', state: 'running', startedBy: 'bob' });
});

const plan: Plan = {
  version: 1,
  pipeline: 'ingest',
  hash: 'h',
  cel: '8',
  params: {},
  steps: [],
  outputs: {},
  sources: [],
  concurrency: null,
};
const begin = (client: Client, id: string, held = plan) =>
  startRun({
    client,
    plan: held,
    start: { id, store: pathToFileURL(root).href, baseDir: '/', host: 'ship', who: 'ada@ship', connections: { maps: 'local' } },
  });

describe('a start', () => {
  test('gives the workflow the id of the run, and leaves the rest to the run', async () => {
    const client = cluster([]);
    expect(await begin(client, 'ingest-1')).toMatchObject({ workflowId: 'ingest-1', runId: 'r1' });
    expect(await readdir(root)).toEqual(['store.json']);
  });

  test('with the id of another run is none', async () => {
    await expect(begin(cluster([execution('ingest-1')]), 'ingest-1')).rejects.toThrow('there is a run ingest-1 already');
  });
});

test('a plan beyond what the server takes starts nothing, and says what to do', async () => {
  const large = { ...plan, outputs: { text: 'x'.repeat(2_000_000) } };
  await expect(begin(cluster([]), 'ingest-1', large)).rejects.toMatchObject({
    message: expect.stringContaining('at most 1,500,000'),
    remedy: expect.stringContaining('--from'),
  });
});

test('run ids are readable, dated in UTC, and differ', () => {
  const day = new Date('2026-11-21T23:30:00-02:00');
  expect(newRunId('ingest', day)).toMatch(/^ingest-2026-11-22-[0-9a-f]{8}$/);
  expect(new Set(Array.from({ length: 5_000 }, () => newRunId('x', day))).size).toBe(5_000);
});

test('a run store that is not there holds no runs, and of one that the disk does not give nobody knows', async () => {
  expect(await storedRuns(join(root, 'none'))).toEqual([]);
  await writeFile(join(root, 'file'), '');
  await expect(storedRuns(join(root, 'file'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});
