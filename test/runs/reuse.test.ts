import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inputHash } from '../../pipelines/input-hash.ts';
import type { Plan, PlanStep } from '../../pipelines/plan.ts';
import type { Json } from '../../text/json.ts';
import { planReuse, type ReuseFacts } from '../../runs/reuse.ts';
import type { RunView, StepView } from '../../workflows/messages.ts';

const step = (id: string, needs: string[] = [], more: Partial<PlanStep> = {}): PlanStep => ({
  id,
  use: `x.${id}`,
  kind: 'call',
  needs,
  with: needs[0] ? { from: `\${{ steps.${needs[0]}.id }}` } : { n: 1 },
  connections: { maps: 'local' },
  timeouts: { attemptMs: 1, deadlineMs: 1 },
  ...more,
});
const planOf = (steps: PlanStep[], sources: Plan['sources'] = []): Plan => ({
  version: 1,
  pipeline: 'p',
  hash: 'h',
  cel: '8',
  params: {},
  steps,
  outputs: {},
  sources,
  concurrency: null,
});

const source = '/data/rows.csv';
const fingerprints = { [source]: { sha256: 'abc' } };
/** A source, a chain behind it, a gate, and a step behind the gate. */
const plan = planOf(
  [
    step('read', [], { with: { source } }),
    step('load', ['read']),
    step('ask', ['load'], { kind: 'gate', with: {} }),
    step('apply', ['ask'], { with: { n: 1 } }),
    step('alone'),
  ],
  [{ step: 'read', field: 'source', path: source }],
);

/** The plan as it ran to its end. */
const ran = (of: Plan = plan, more: Partial<Record<string, Partial<StepView>>> = {}): RunView => ({
  run: 'old',
  pipeline: 'p',
  state: 'done',
  steps: of.steps.map((each) => {
    const input = each.with && 'from' in (each.with as object) ? { from: 'read' } : each.with;
    return {
      id: each.id,
      use: each.use,
      kind: each.kind,
      needs: each.needs,
      status: 'done',
      output: { id: each.id },
      inputHash: inputHash(each, input, of, fingerprints, 'old'),
      ...more[each.id],
    };
  }),
});

const verdictsOf = (facts: Partial<ReuseFacts> = {}): Record<string, string> =>
  Object.fromEntries(
    planReuse({
      plan,
      run: 'new',
      values: {},
      old: { view: ran(), plan },
      fingerprints,
      late: new Set(),
      otherCode: new Set(),
      rows: new Map(),
      undone: new Map(),
      ...facts,
    }).verdicts.map(({ step: id, reused, why, unless }) => [id, reused ? `reused${unless ? ` unless ${unless.join()}` : ''}` : why]),
  );

const reusedAll = { read: 'reused', load: 'reused', ask: 'an approval belongs to its run', apply: 'reused', alone: 'reused' };

test('what is as it was is reused, but for gates; what stands behind one is asked by what the gate stands on', () => {
  expect(verdictsOf()).toEqual(reusedAll);
  expect(verdictsOf({ from: 'load' })).toEqual({ ...reusedAll, load: 'named by --from', apply: 'follows load' });
  const ended = (status: 'failed' | 'tolerated'): object =>
    verdictsOf({ from: 'load', old: { view: ran(plan, { load: { status } }), plan } });
  expect(ended('failed')).toMatchObject({ load: 'it failed' });
  expect(ended('tolerated')).toMatchObject({ load: 'it failed, which was tolerated' });
});

test('a loop in which there is a gate asks again', () => {
  const each: Partial<PlanStep> = { kind: 'loop', use: 'forEach', with: { items: [1] }, each: { as: 'item', outputs: {} } };
  const loops = planOf([
    step('outer', [], each),
    step('inner', [], { ...each, in: 'outer' }),
    step('ask', [], { kind: 'gate', with: {}, in: 'inner' }),
    step('other', [], each),
    step('one', [], { in: 'other' }),
  ]);
  expect(verdictsOf({ plan: loops, old: { view: ran(loops), plan: loops } })).toEqual({
    outer: 'an approval belongs to its run',
    other: 'reused',
  });
});

test('each difference is named', () => {
  const withStep = (id: string, change: Partial<PlanStep>): Plan => ({
    ...plan,
    steps: plan.steps.map((each) => (each.id === id ? { ...each, ...change } : each)),
  });
  const without = (id: string): RunView => ({ ...ran(), steps: ran().steps.filter((each) => each.id !== id) });
  const cases: [Partial<ReuseFacts>, string][] = [
    [{ plan: withStep('alone', { with: { n: 2 } }) }, 'its input changed: n'],
    [{ plan: withStep('alone', { version: 2 }) }, 'its code changed'],
    [{ plan: withStep('alone', { use: 'x.other' }) }, 'another step: x.alone before, x.other now'],
    [{ plan: withStep('alone', { connections: { maps: 'prod' } }) }, 'another connection'],
    [{ plan: withStep('alone', { tolerate: { rejected: { count: 1 } } }) }, 'tolerate changed'],
    [{ plan: withStep('alone', { with: { n: '${{ run.id }}' } }) }, 'its input changed: n'],
    [{ old: { view: without('alone'), plan } }, 'new in the file'],
    [{ old: { view: ran(plan, { alone: { status: 'failed' } }), plan } }, 'not completed (failed)'],
    [{ late: new Set(['alone']) }, 'its source is known only when it runs'],
    [{ otherCode: new Set(['alone']) }, 'its worker ran other code than the plan named'],
  ];
  for (const [facts, why] of cases) expect(verdictsOf(facts)).toEqual({ ...reusedAll, alone: why });
});

test('a step that is skipped again lets what follows it be reused; one that may run now does not', () => {
  const branched = (when: string, more: Partial<PlanStep> = {}): Plan => ({
    ...planOf([
      step('test', [], { with: { n: 1 } }),
      step('mend', ['test'], { when, with: {} }),
      step('report', ['mend'], { with: { n: 1 }, accepts: { mend: ['done', 'skipped'] } }),
      step('late', ['mend'], { with: { n: 2 }, ...more }),
    ]),
    params: { bad: 0 },
  });
  const isBad = branched('${{ params.bad > 0 }}');
  const before = (because: 'when' | 'failure' = 'when'): RunView =>
    ran(isBad, {
      mend: { status: 'skipped', skipped: { because } },
      late: { status: 'skipped', skipped: { because: 'needs', step: 'mend', status: 'skipped' } },
    });
  const verdicts = (now: Plan, view = before()) => verdictsOf({ plan: now, old: { view, plan: isBad } });
  const all = { test: 'reused', mend: 'reused', report: 'reused', late: 'reused' };
  expect(verdicts(isBad)).toEqual(all);
  expect(
    planReuse({
      plan: isBad,
      run: 'new',
      values: {},
      old: { view: before(), plan: isBad },
      fingerprints,
      late: new Set(),
      otherCode: new Set(),
      rows: new Map(),
      undone: new Map(),
    }).verdicts[1],
  ).toMatchObject({ why: 'skipped again' });
  const run = 'it may not be skipped now';
  const after = { report: 'follows mend', late: 'follows mend' };
  expect(verdicts({ ...isBad, params: { bad: 2 } })).toEqual({ ...all, mend: run, ...after });
  expect(verdicts(branched('${{ params.good > 0 }}'))).toEqual({ ...all, mend: run, ...after });
  expect(verdicts(branched('${{ params.bad > 1 }}'))).toEqual(all);
  expect(verdicts(branched('${{ params.bad > 0 }}', { accepts: { mend: ['skipped'] } }))).toEqual({ ...all, late: run });
  expect(verdicts(isBad, before('failure'))).toEqual({ ...all, mend: 'the run failed before it', ...after });
});

test('a source with other bytes runs its step and all that follows it; one that is not here is left to the worker', () => {
  expect(verdictsOf({ fingerprints: { [source]: { sha256: 'other' } } })).toEqual({
    ...reusedAll,
    read: `${source} changed`,
    load: 'follows read',
    apply: 'follows load',
  });
  const unless = `reused unless ${source}`;
  expect(verdictsOf({ fingerprints: {} })).toEqual({ ...reusedAll, read: unless, load: unless, apply: unless });
  const moved = planOf(
    plan.steps.map((each) => (each.id === 'read' ? { ...each, with: { source: '/else/rows.csv' } } : each)),
    [{ step: 'read', field: 'source', path: '/else/rows.csv' }],
  );
  expect(verdictsOf({ plan: moved, fingerprints: { '/else/rows.csv': { sha256: 'abc' } } })).toEqual(reusedAll);
});

test('a list that the result refers to must still be there', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'reuse-'));
  const list = join(dir, 'list');
  const view = ran(plan, { alone: { output: { points: { uri: pathToFileURL(list).href, count: 3 } } } });
  expect(verdictsOf({ old: { view, plan } })['alone']).toBe(`its result is gone: ${list}`);
  await writeFile(list, '');
  expect(verdictsOf({ old: { view, plan } })['alone']).toBe('reused');
  await rm(dir, { recursive: true });
});

test('the results of a sweep that the result refers to must still be there, each part that the ledger has', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'reuse-'));
  const results = join(dir, 'results', 'alone', '*.parquet');
  const view = ran(plan, { alone: { output: { results } } });
  const large = ran(plan, { alone: { output: { $kept: import.meta.url, sha256: '', bytes: 1 } } });
  const why = (): string => verdictsOf({ old: { view, plan } })['alone']!;
  const part = (name: string): string => join(dir, 'results', 'alone', name);
  expect(why()).toBe(`its result is gone: ${part('00000.parquet')}`);
  expect(verdictsOf({ old: { view: large, plan }, values: { alone: { results } } })['alone']).toBe(why());
  for (const folder of ['results', 'items']) await mkdir(join(dir, folder, 'alone'), { recursive: true });
  for (const name of ['00000.parquet', '00001.parquet'])
    for (const folder of ['results', 'items']) await writeFile(join(dir, folder, 'alone', name), '');
  expect(why()).toBe('reused');
  await rm(part('00001.parquet'));
  expect(why()).toBe(`its result is gone: ${part('00001.parquet')}`);
  await rm(dir, { recursive: true });
});

test('a result that was reused keeps the name of the run that made it', () => {
  const { reuse } = planReuse({
    plan,
    run: 'new',
    old: { view: ran(plan, { alone: { reusedFrom: 'oldest' } }), plan },
    values: {},
    fingerprints,
    late: new Set(),
    otherCode: new Set(),
    rows: new Map(),
    undone: new Map(),
  });
  expect(reuse['alone']).toMatchObject({ run: 'oldest', output: { id: 'alone' } });
  expect(reuse['read']).toMatchObject({ run: 'old' });
  expect(Object.keys(reuse)).not.toContain('ask');
});

test('the hash is of values: the order of names changes nothing, any other change does', () => {
  const hash = (input: Json): string => inputHash(step('a'), input, planOf([]), {}, 'old');
  const reversed = (value: Json): Json =>
    Array.isArray(value)
      ? value.map(reversed)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .toReversed()
              .map(([key, item]) => [key, reversed(item)]),
          )
        : value;
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const [a, b] = [JSON.parse(JSON.stringify(one)) as Json, JSON.parse(JSON.stringify(other)) as Json];
      expect(hash(reversed(a))).toBe(hash(a));
      let equal = true;
      try {
        expect(a).toStrictEqual(b);
      } catch {
        equal = false;
      }
      expect(hash(a) === hash(b)).toBe(equal);
    }),
  );
  expect(hash({})).toMatch(/^[0-9a-f]{64}$/);
});
