import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StepContext } from '../../activities/frame/context.ts';
import { rowsOf } from '../../activities/rows/loop.ts';
import type { RowCode } from '../../activities/rows/row-code.ts';
import { workThrough } from '../../activities/rows/turns.ts';
import { BadInput, Undecided } from '../../errors/classes.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { innerIntents, openIntents } from '../../store/intents.ts';
import type { RunStore } from '../../store/run-store.ts';

let root: string;
let store: RunStore;
let begun: string[];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'portolan-rows-'));
  store = createRunStore(join(root, 'run-1'));
  await mkdir(store.path());
  begun = [];
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** One attempt of a chunk of these rows, by the journal of those before it: its one step fails where the row holds an error. */
async function attempt(rows: readonly (Error | null)[], tolerate: StepContext['tolerate'] = {}): Promise<unknown> {
  const intents = openIntents(store, ['loop', 'chunk', '0'], `attempt-${begun.length}`);
  const context = {
    step: 'loop',
    store,
    tolerate,
    signal: new AbortController().signal,
    intents: () => intents,
    progress: () => undefined,
    fates: () => undefined,
    within: (_: unknown, path: string) => ({ intents: () => innerIntents(intents, `${path} `) }),
  };
  const run = async (at: number): Promise<null> => {
    begun.push(String(at));
    if (rows[at]) throw rows[at];
    return null;
  };
  const planned = {
    id: 'act',
    use: 'acme.act',
    kind: 'call',
    needs: [],
    with: '${{ row }}',
    connections: {},
    timeouts: { deadlineMs: 60_000 },
  };
  const code = {
    as: 'row',
    outputs: {},
    atOnce: 1,
    reacts: new Set<string>(),
    scope: { params: {}, steps: {}, items: {} },
    steps: [{ planned, definition: { own: {} }, code: { run } }],
  };
  const chunk = { rows: rows.map((_, at) => ({ key: String(at), row: at })), first: 0, total: rows.length, taken: {} };
  return workThrough(code as unknown as RowCode, chunk, context as unknown as StepContext)
    .catch((error: unknown) => error)
    .finally(() => intents.close());
}

test('an attempt after one that was lost fails for a row of which nobody knows what was done, as that one did, and begins no other', async () => {
  const rows = [null, new Undecided('no answer was seen'), null, null];
  const failure = { type: 'Undecided', message: '1 of 4 rows failed, the last one at loop[1].act: no answer was seen', nonRetryable: true };
  expect(await attempt(rows, { failed: { share: 1 } })).toMatchObject(failure);
  // Nobody has heard of it: the run was paused, or the worker killed.
  expect(await attempt(rows, { failed: { share: 1 } })).toMatchObject(failure);
  expect(begun).toEqual(['0', '1']);
});

test('an attempt after one that was lost begins no row beyond the failures that the file tolerates', async () => {
  const bad = new BadInput('bad_input', 'refused');
  const rows = [bad, bad, null, null];
  const failure = { type: 'BadInput', message: '2 of 4 rows failed, the last one at loop[1].act: refused' };
  expect(await attempt(rows, { failed: { count: 1 } })).toMatchObject(failure);
  expect(await attempt(rows, { failed: { count: 1 } })).toMatchObject(failure);
  expect(begun).toEqual(['0', '1']);
  // As many as are tolerated keep no attempt from going on.
  expect(await attempt(rows, { failed: { count: 2 } })).toMatchObject([
    { status: 'failed', reason: 'loop[0].act: refused' },
    { status: 'failed' },
    { status: 'done' },
    { status: 'done' },
  ]);
});

test('a loop over rows is not done while nobody knows what became of a row', async () => {
  const state = { list: 'loops/loop', rows: 4, columns: [], acts: true };
  const finish = rowsOf({}, () => undefined).finish({ rows: 'x.csv' }, state, { done: 4, unknown: 1 }, {} as StepContext);
  await expect(finish).rejects.toThrow('4 items were listed, but 3 have ended');
});
