import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { takeUp } from '../../activities/frame/take-up.ts';
import type { Plan, PlanStep } from '../../pipelines/plan.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { keepView } from '../../store/kept-view.ts';

const root = await mkdtemp(join(tmpdir(), 'portolan-take-up-'));
afterAll(() => rm(root, { recursive: true, force: true }));

const step = (id: string): PlanStep => ({
  id,
  use: `x.${id}`,
  kind: 'call',
  needs: [],
  with: {},
  connections: {},
  timeouts: { attemptMs: 1, deadlineMs: 1 },
});
const plan = { steps: ['a', 'b', 'c', 'd'].map(step) } as Pick<Plan, 'steps'> as Plan;
const former = (run: string) => ({ run, store: pathToFileURL(join(root, run)).href });

/** A run whose folder is there, with these steps as they ended. */
async function ended(run: string, steps: object[]): Promise<void> {
  await mkdir(join(root, run), { recursive: true });
  const view = { run, pipeline: 'p', state: 'failed', steps };
  await keepView(createRunStore(former(run).store), { view, runId: 'x', endedAt: 'now', historyEvents: 1 });
}

test('the newest run that is there counts, the last try of it first, each once', async () => {
  for (const run of ['old.one', 'new.one', 'new.one-2'])
    await ended(run, [{ id: 'a', use: 'x.a', status: 'done', inputHash: run, output: {} }]);
  const before = [former('none.one'), former('new.one-2'), former('new.one'), former('old.one')];
  const found = await takeUp({ plan, before, late: [] });
  expect(found.former.map(({ run }) => run)).toEqual(['new.one-2', 'new.one', 'old.one']);
  expect(found.reuse).toEqual({ a: { hash: 'new.one-2', output: {}, run: 'new.one-2' } });
  expect((await takeUp({ plan, before: [former('new.one')], late: [] })).former.map(({ run }) => run)).toEqual(['new.one-2', 'new.one']);
  expect(await takeUp({ plan, before: [former('none.one')], late: [] })).toEqual({ former: [], reuse: {} });
});

test('taken over is what is done, was done by the same step, and of which every file is there', async () => {
  const gone = pathToFileURL(join(root, 'gone.json')).href;
  await ended('r.one', [
    { id: 'a', use: 'x.a', status: 'done', inputHash: 'h', output: { n: 1 }, reusedFrom: 'first' },
    { id: 'b', use: 'x.other', status: 'done', inputHash: 'h', output: {} },
    { id: 'c', use: 'x.c', status: 'done', inputHash: 'h', output: { list: gone } },
    { id: 'd', use: 'x.d', status: 'failed', inputHash: 'h' },
  ]);
  const before = [former('r.one')];
  expect((await takeUp({ plan, before, late: [] })).reuse).toEqual({ a: { hash: 'h', output: { n: 1 }, run: 'first' } });
  expect((await takeUp({ plan, before, late: ['a'] })).reuse).toEqual({});
  await ended('r.two', [
    { id: 'a', use: 'x.a', status: 'skipped', skipped: { because: 'when' } },
    { id: 'b', use: 'x.b', status: 'skipped', skipped: { because: 'failure' } },
  ]);
  expect((await takeUp({ plan, before: [former('r.two')], late: [] })).reuse).toEqual({ a: 'skipped' });
});
