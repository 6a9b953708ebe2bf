import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { takeUp } from '../../activities/frame/take-up.ts';
import type { Plan, PlanStep } from '../../pipelines/plan.ts';
import { childRunId } from '../../pipelines/run-start.ts';
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

/** The run that the step of this path was in an earlier run, as the run above it names it. */
const firstTry = (above: string, path = 'one') => ({ ...former(childRunId(above, path, 1)), of: { run: above, path } });
const done = (inputHash: string) => [{ id: 'a', use: 'x.a', status: 'done', inputHash, output: {} }];
const run = 'now.one';

test('the newest run that is there counts, the last try of it first, each once', async () => {
  for (const each of ['old.one', 'new.one', 'new.one-2']) await ended(each, done(each));
  const before = [former('none.one'), former('new.one-2'), firstTry('new'), firstTry('old')];
  const found = await takeUp({ run, plan, before, late: [] });
  expect(found.former).toEqual([former('new.one-2'), former('new.one'), former('old.one')]);
  expect(found.reuse).toEqual({ a: { hash: 'new.one-2', output: {}, run: 'new.one-2' } });
  expect((await takeUp({ run, plan, before: [firstTry('new')], late: [] })).former).toEqual([former('new.one-2'), former('new.one')]);
  expect(await takeUp({ run, plan, before: [firstTry('none')], late: [] })).toEqual({ former: [], reuse: {} });
});

test('a run does not continue itself, also where it looks again and its folder is there', async () => {
  await ended('killed.one', done('first'));
  await mkdir(join(root, 'killed.one-2'));
  const before = [former('killed.one-2'), former('killed.one')];
  const found = await takeUp({ run: 'killed.one-2', plan, before, late: [] });
  expect(found.former).toEqual([former('killed.one')]);
  expect(found.reuse).toEqual({ a: { hash: 'first', output: {}, run: 'killed.one' } });
  expect((await takeUp({ run: 'killed.one-2', plan, before: [former('killed.one')], late: [] })).reuse).toEqual(found.reuse);
});

test('every try is found: after one that could not begin, and of a step whose path is long', async () => {
  await ended('gap.one', done('1'));
  await ended('gap.one-3', done('3'));
  expect((await takeUp({ run, plan, before: [firstTry('gap')], late: [] })).former).toEqual([former('gap.one-3'), former('gap.one')]);
  const path = `a[1].${'b'.repeat(210)}`;
  for (const turn of [1, 2]) await ended(childRunId('long', path, turn), done(String(turn)));
  expect((await takeUp({ run, plan, before: [firstTry('long', path)], late: [] })).reuse).toMatchObject({ a: { hash: '2' } });
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
  expect((await takeUp({ run, plan, before, late: [] })).reuse).toEqual({ a: { hash: 'h', output: { n: 1 }, run: 'first' } });
  expect((await takeUp({ run, plan, before, late: ['a'] })).reuse).toEqual({});
  await ended('r.two', [
    { id: 'a', use: 'x.a', status: 'skipped', skipped: { because: 'when' } },
    { id: 'b', use: 'x.b', status: 'skipped', skipped: { because: 'failure' } },
  ]);
  expect((await takeUp({ run, plan, before: [former('r.two')], late: [] })).reuse).toEqual({ a: 'skipped' });
});
