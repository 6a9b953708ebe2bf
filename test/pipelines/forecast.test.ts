import { expect, test } from 'vitest';
import { limits } from '../../contracts/limits.ts';
import { floorOf, forecast, type PlanFacts } from '../../pipelines/forecast/forecast.ts';
import { formatForecast, type ForecastTexts } from '../../cli/render/forecast.ts';
import { createPaint } from '../../cli/render/paint.ts';
import { createAllowance } from '../../activities/own/allowance.ts';
import { steps } from '../../pipelines/steps/table.ts';
import { toSweep } from '../../pipelines/own/sweep.ts';
import { z } from 'zod';
import { unknownFacts, type Act, type Facts, type Step } from '../../pipelines/step.ts';
import { ownStep, planOf } from './support.ts';

const held = (rows: number): NonNullable<PlanFacts['datasets']> =>
  new Map([['dataset', { exists: true, id: '6f9619ff-8b86-d011-b42d-00c04fc964ff', rows }]]);
const absent: NonNullable<PlanFacts['datasets']> = new Map([['dataset', { exists: false, rows: 0 }]]);

const table = { rows: 12_001, bytes: 3_000_000, sent: 12_001, shards: 3, arrowBytes: [4_000_000, 4_000_000] satisfies [number, number] };
const facts = { table: () => table };

const look: ForecastTexts = { connections: '', hosted: false, columns: Infinity, paint: createPaint(false) };

const text = `
name: ingest
steps:
  dataset:
    use: dataset.ensure
    with: { slug: movies }
  rows:
    use: dataset.append
    with:
      dataset: \${{ steps.dataset.id }}
      source: a.csv
      id: { row: true }
  map:
    use: index.build
    with:
      dataset: \${{ steps.rows.dataset }}
      embed: text
  all:
    use: points.select
    with:
      map: \${{ steps.map.id }}
  tag:
    use: points.tag
    with:
      map: \${{ steps.map.id }}
      points: \${{ steps.all.points }}
      add: x
`;

test('calls by what they do, items handed on, acts that cannot be taken back', () => {
  const plan = planOf(text);
  const result = forecast(plan, steps, { ...facts, datasets: held(0) });
  const by = Object.fromEntries(result.steps.map((step) => [step.id, step]));
  expect(result.hash).toBe(plan.hash);
  // 12,001 rows are three shards of 5,000; their ids are the bound of what is tagged.
  expect(by['rows']).toMatchObject({
    writing: [0, 3],
    limits: expect.arrayContaining([{ limit: 'maps/data', calls: [0, 3], floorSeconds: 0 }]),
  });
  expect(by['tag']).toMatchObject({ does: 'tag ≤ 12,001 points', writing: [0, 5], reads: [2, 39] });
  expect(by['all']).toMatchObject({ writing: [0, 0], reads: [3, 3] });
  const plus = (one: number | null, other: number | null): number | null => (one === null || other === null ? null : one + other);
  const sums = result.steps.reduce<(number | null)[]>(
    (sum, { writing, reads }) => sum.map((value, index) => plus(value, [...writing, ...reads][index]!)),
    [0, 0, 0, 0],
  );
  expect([result.totals.writing, result.totals.reads].flat()).toEqual(sums);
  expect(result.irreversible).toEqual([]);
  expect(forecast(plan, steps, { table: () => undefined }).steps[1]!.does).toBe('add rows');
});

test('which points have a tag is read from two files beside each tile: of a map of the run by its rows, of another nobody knows how many', () => {
  const tiles = (of: string, rows: number) =>
    forecast(planOf(of), steps, { ...facts, datasets: held(rows) })
      .steps.at(-1)!
      .calls.find(({ operation }) => operation === 'maps.tiles.get');
  expect([tiles(text, 0), tiles(text, 1_000_000)]).toMatchObject([
    { min: 0, max: 18 },
    { min: 0, max: 194 },
  ]);
  const other = text.replace('map: ${{ steps.map.id }}\n      points', 'map: 6f9619ff-8b86-d011-b42d-00c04fc964ff\n      points');
  expect(tiles(other, 1_000)).toMatchObject({ min: 0, max: null, because: expect.stringContaining('listed in the run') });
});

test('of several lists that are handed on the longest is what may be tagged', () => {
  const near = `  near:
    use: points.neighbors
    with: { map: "\${{ steps.map.id }}", points: "\${{ steps.all.points }}", k: 10 }
  tag:
    use: points.tag
    needs: [all]
    with: { map: "\${{ steps.map.id }}", points: "\${{ steps.near.points }}", add: x }
`;
  const plan = planOf(text.slice(0, text.indexOf('  tag:')) + near);
  expect(forecast(plan, steps, { ...facts, datasets: absent }).steps.at(-1)).toMatchObject({ does: 'tag ≤ 120,010 points' });
});

test('writing calls are exact where the dataset is new, and at most where it is there', () => {
  const plan = planOf(text);
  const writing = (exists?: boolean): unknown[] =>
    forecast(plan, steps, { ...facts, ...(exists === undefined ? {} : { datasets: exists ? held(500) : absent }) })
      .steps.slice(0, 3)
      .map((step) => step.writing);
  expect(writing(false)).toEqual([
    [1, 1],
    [3, 3],
    [1, 1],
  ]);
  expect(writing(true)).toEqual([
    [0, 0],
    [0, 3],
    [0, 2],
  ]);
  expect(writing()).toEqual([
    [0, 1],
    [0, 3],
    [0, 2],
  ]);
});

test.each([
  [0, 1, [3, 3]],
  [100, 1, [5, 5]],
  [99, 3, [4, 6]],
])(
  'making a dataset beside %i others, in a plan that makes %i, reads the pages of its organization before and after',
  (there, made, pages) => {
    const datasets = new Map([['dataset', { exists: false, rows: 0, beside: { there, made } } as const]]);
    const { calls } = forecast(planOf(text), steps, { ...facts, datasets }).steps[0]!;
    const { min, max } = calls.find(({ operation }) => operation === 'maps.organizations.get')!;
    expect([min, max]).toEqual(pages);
  },
);

test('of several steps or turns that name a dataset which is not there only the first makes it, and what they fill may be filled', () => {
  const rows = 'use: dataset.append, with: { dataset: "${{ steps.make.id }}", source: a.csv, id: { row: true } }';
  const calls = (of: string, ...ids: string[]): unknown[] => {
    const datasets = new Map(ids.map((id) => [id, { exists: false, rows: 0, beside: { there: 3, made: 1 } } as const]));
    const { steps: found } = forecast(planOf(of), steps, { table: (id) => (id === 'rows' ? table : undefined), datasets });
    return found.flatMap(({ id, calls }) =>
      calls
        .filter(({ operation }) => /create|list|organizations|addArrow/.test(operation))
        .map(({ operation, min, max }) => [id, operation.replace('maps.', ''), min, max]),
    );
  };
  const loop = `
name: fixed
steps:
  each:
    forEach: { items: [a, b, c], as: kind, parallel: 1 }
    steps:
      make: { use: dataset.ensure, with: { slug: films } }
      rows: { ${rows} }
`;
  expect(calls(loop, 'make')).toEqual([
    ['make', 'projects.create', 0, 3],
    ['make', 'projects.list', 0, 6],
    ['make', 'organizations.get', 0, 12],
    ['rows', 'data.addArrow', 0, 9],
  ]);
  const two = (needs: string): string => `
name: two
steps:
  make: { use: dataset.ensure, with: { slug: films } }
  again: { use: dataset.ensure, with: { slug: films }${needs} }
  other: { use: dataset.ensure, with: { slug: other } }
`;
  const created = (of: string): unknown[] =>
    calls(of, 'make', 'again', 'other').filter((call) => (call as string[])[1] === 'projects.create');
  expect(created(two(', needs: [make]'))).toEqual([
    ['make', 'projects.create', 1, 1],
    ['again', 'projects.create', 0, 1],
    ['other', 'projects.create', 1, 1],
  ]);
  // Nobody knows which of the two is first.
  expect(created(two('')).slice(0, 2)).toEqual([
    ['make', 'projects.create', 0, 1],
    ['again', 'projects.create', 0, 1],
  ]);
});

test('of two datasets each step has its own, and one of which nobody knows whose it is has none', () => {
  const plan = planOf(`
name: two
steps:
  films: { use: dataset.ensure, with: { slug: films } }
  dataset: { use: dataset.ensure, with: { slug: movies } }
  old: { use: index.build, with: { dataset: "\${{ steps.dataset.id }}" } }
  new: { use: index.build, with: { dataset: "\${{ steps.films.id }}" } }
  named: { use: index.build, with: { dataset: 6f9619ff-8b86-d011-b42d-00c04fc964ff } }
  apart: { use: data.delete, needs: [gone], with: { dataset: 0f8fad5b-d9cb-469f-a165-70867728950e, points: { uri: a, count: 1 } } }
  gone: { use: gate.approve }
`);
  const datasets = new Map([...held(500), ['films', { exists: false, rows: 0 }] as const]);
  const { steps: found } = forecast(plan, steps, { ...facts, datasets });
  const by = (id: string, operation: string): unknown =>
    found.find((step) => step.id === id)!.calls.find((each) => each.operation === operation);
  expect(found.slice(0, 2).map(({ does }) => does)).toEqual(['create dataset "films"', 'find dataset "movies"']);
  expect(by('old', 'maps.indices.create')).toMatchObject({ min: 0, max: 1 });
  expect(by('new', 'maps.indices.create')).toMatchObject({ min: 1, max: 1 });
  expect(by('named', 'maps.indices.progress')).toMatchObject({ max: expect.any(Number) });
  expect(by('apart', 'maps.data.delete')).toMatchObject({ max: null });
});

test('the floor is that of the published limit, shared by all steps of a run', () => {
  const limit = { ...limits['maps/embedding'] };
  expect([0, 1, 1_200, 1_201, 2_400, 2_401].map((requests) => floorOf(limit, requests))).toEqual([0, 0, 0, 300, 300, 600]);
  expect(floorOf(limits['maps/tag'], 1e6)).toBe(0);

  const embed = (name: string, calls: number, seconds?: number): Step => ({
    ...ownStep({ name, input: z.strictObject({}), output: z.object({}), effect: 'safe', run: () => ({}) }),
    forecast: () => ({
      does: 'embed',
      calls: [{ operation: 'maps.embedding.text', min: calls, max: 2 * calls }],
      ...(seconds === undefined ? {} : { seconds }),
    }),
  });
  const table = { ...steps, 'acme.a': embed('acme.a', 1_000), 'acme.b': embed('acme.b', 1_000, 20) };
  const plan = planOf('name: a\nsteps:\n  a: { use: acme.a }\n  b: { use: acme.b }\n', { steps: table });
  const { totals, steps: found } = forecast(plan, table, facts);
  expect(found.map((step) => step.limits[0]!.floorSeconds)).toEqual([0, 0]);
  expect(totals).toEqual({ writing: 0, reads: [2_000, 4_000], floorSeconds: 300, estimateSeconds: 20 });
});

test('estimates add up along what waits for what', () => {
  const gone: Act = { kind: 'gone', most: 1, says: 'acme: gone' };
  const slow = (name: string, seconds: number): Step => ({
    ...ownStep({ name, input: z.strictObject({}), output: z.object({}), effect: 'safe', run: () => ({}) }),
    forecast: () => ({ does: 'wait', calls: [], seconds, acts: [gone] }),
  });
  const table = { 'acme.ten': slow('acme.ten', 10), 'acme.one': slow('acme.one', 1), 'gate.approve': steps['gate.approve']! };
  const plan = planOf(
    'name: a\nsteps:\n  ok: { use: gate.approve, with: { approves: [a, b, c] } }\n  a: { use: acme.ten, needs: [ok] }\n  b: { use: acme.one, needs: [a] }\n  c: { use: acme.ten, needs: [ok] }\n',
    { steps: table },
  );
  const result = forecast(plan, table, facts);
  expect(result.totals.estimateSeconds).toBe(11);
  expect(result.irreversible).toEqual(plan.steps.flatMap(({ id }) => (id === 'ok' ? [] : [{ step: id, gate: 'ok', ...gone }])));
});

test('what needs a loop, or a step with something done about its failures, waits for all that stands in it', () => {
  const search = 'use: points.search, with: { map: 6f9619ff-8b86-d011-b42d-00c04fc964ff, query: a }';
  const loop = (needs: string, of: string): string => `
    needs: [${needs}]
    forEach: { window: { from: "2026-01-01", to: "2026-04-11", every: 1d } }
    steps:
      ${of}: { ${search} }`;
  const seconds = (of: string): number => forecast(planOf(of), steps, { table: () => undefined }).totals.estimateSeconds;
  expect(seconds(`name: chain\nsteps:\n  one: ${loop('', 's1')}\n  two: ${loop('one', 's2')}\n`)).toBeCloseTo(40);
  expect(seconds(`name: beside\nsteps:\n  one: ${loop('', 's1')}\n  two: ${loop('', 's2')}\n`)).toBeCloseTo(20);
  const reaction = `
name: reaction
steps:
  one: { ${search}, onError: { else: { steps: { again: { ${search} } } } } }
  two: { ${search}, needs: [one] }
`;
  expect(seconds(reaction)).toBeCloseTo(0.6);
});

test('the table', () => {
  const shown = formatForecast(
    { ...forecast(planOf(text), steps, { ...facts, datasets: held(0) }), hash: '3f9c00a1' },
    { ...look, connections: 'maps: local (http://127.0.0.1:7411)' },
  );
  expect(`\n${shown}\n`).toMatchInlineSnapshot(`
    "
    ingest  →  maps: local (http://127.0.0.1:7411)                                                 plan 3f9c…a1
      step     does                                                       calls  limit                     time
      dataset  find dataset "movies"                                    2 reads  -                            -
      rows     12,001 rows in 3 shards, 3.0 MB          0–3 writes + 2–51 reads  -       ≤ about 1 s (estimate)
      map      embed ≤ 12,001 points, build the map  0–2 writes + 5–1,442 reads  -      ≤ about 82 s (estimate)
      all      one selection                                            3 reads  -         about 1 s (estimate)
      tag      tag ≤ 12,001 points                      0–5 writes + 2–39 reads  -       ≤ about 1 s (estimate)
      total                                  0–10 writing calls, 14–1,537 reads         ≤ about 83 s (estimate)
    nothing irreversible · nothing is charged
    "
  `);
});

const changing = (gate = ''): string => `
name: change
steps:
  dataset: { use: dataset.ensure, with: { slug: movies } }
${gate}  rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: a.csv, id: { column: k }, onChange: replace } }
  map: { use: index.build, with: { dataset: "\${{ steps.rows.dataset }}", embed: text } }
  old: { use: points.select, with: { map: "\${{ steps.map.id }}" } }
  ask: { use: gate.approve, with: { approves: [gone] } }
  gone: { use: data.delete, with: { dataset: "\${{ steps.dataset.id }}", points: "\${{ steps.old.points }}" } }
`;

test('deletions are in the plan, by the rows that the service counts: those of data.delete and those of a replace', () => {
  const result = forecast(planOf(changing()), steps, { ...facts, datasets: held(3_076) });
  const by = Object.fromEntries(result.steps.map((step) => [step.id, step]));
  expect(by['rows']!.calls).toContainEqual({ operation: 'maps.data.delete', min: 0, max: 2 });
  // Those that the dataset holds and those that are added.
  expect(by['gone']!.calls).toContainEqual({ operation: 'maps.data.delete', min: 0, max: 7 });
  expect(result.irreversible).toMatchObject([
    {
      step: 'rows',
      kind: 'rows replaced',
      most: 3_076,
      says: 'replace ≤ 3,076 changed rows: each is deleted and added anew',
      unapproved: true,
    },
    { step: 'gone', kind: 'rows deleted', most: 15_077, says: 'delete ≤ 15,077 rows' },
  ]);
  const gated = forecast(planOf(changing('  ok: { use: gate.approve, with: { approves: [rows] } }\n')), steps, facts);
  expect(gated.irreversible[0]).toMatchObject({ step: 'rows', most: 12_001 });
  expect(gated.irreversible[0]).not.toHaveProperty('unapproved');
  const accepted = forecast(planOf(changing(), { accept: ['rows'] }), steps, facts);
  expect(accepted.irreversible[0]).not.toHaveProperty('unapproved');
});

test.each([
  ['data.delete', 'delete ≤ 3,076 rows'],
  ['points.tag', 'tag ≤ 3,076 points'],
] as const)('%s of a list whose length nobody knows reaches no more than the dataset holds', (use, does) => {
  const known: Facts = { ...unknownFacts, table, dataset: { exists: true, id: '', rows: 3_076 } };
  expect(steps[use]!.forecast(undefined, known)).toMatchObject({ does });
});

test('a gate shows also what its steps may do, where only the data decides', () => {
  const { steps: planned } = planOf(changing('  ok: { use: gate.approve, with: { approves: [rows] } }\n'));
  expect(planned.find(({ id }) => id === 'ok')!.approves).toEqual([
    { step: 'rows', use: 'dataset.append', acts: [expect.stringContaining('replace')] },
  ]);
});

test('a dataset that has no rows yet has none to replace', () => {
  const { irreversible } = forecast(planOf(changing()), steps, { ...facts, datasets: absent });
  expect(irreversible.map(({ step }) => step)).toEqual(['gone']);
});

test('what nobody can know before the run has no upper bound, and says why', () => {
  const result = forecast(planOf(changing()), steps, { table: () => undefined });
  const calls = result.steps.flatMap((step) => step.calls);
  expect(calls.filter(({ max }) => max === null).map(({ operation, because }) => [operation, typeof because])).toEqual(
    expect.arrayContaining([
      ['maps.data.addArrow', 'string'],
      ['maps.indices.progress', 'string'],
      ['maps.data.delete', 'string'],
    ]),
  );
  expect(formatForecast(result, { ...look, hosted: true })).toContain('≥ ');
});

const filling = (use: string): string => `
name: fill
steps:
  dataset: { use: dataset.ensure, with: { slug: movies } }
  rows: { use: ${use}, with: { dataset: "\${{ steps.dataset.id }}", source: a.csv, id: { row: true } } }
  ask: { use: gate.approve, needs: [rows], with: { approves: [gone] } }
  map: { use: index.build, with: { dataset: "\${{ steps.rows.dataset }}", embed: text } }
  all: { use: points.select, with: { map: "\${{ steps.map.id }}" } }
  near: { use: points.neighbors, with: { map: "\${{ steps.map.id }}", points: "\${{ steps.all.points }}", k: 3 } }
  tag: { use: points.tag, with: { map: "\${{ steps.map.id }}", points: "\${{ steps.near.points }}", add: x } }
  gone: { use: data.delete, needs: [ask], with: { dataset: "\${{ steps.dataset.id }}", points: "\${{ steps.all.points }}" } }
  update: { use: index.update, with: { dataset: "\${{ steps.dataset.id }}" } }
  more: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: b.csv, id: { column: k }, onChange: replace } }
`;
const bounded = [
  ['map', 'maps.indices.progress'],
  ['near', 'maps.neighbors.byId'],
  ['tag', 'maps.tags.update'],
  ['tag', 'maps.data.get'],
  ['gone', 'maps.data.delete'],
  ['update', 'maps.indices.progress'],
  ['more', 'maps.indices.progress'],
] as const;

test.each(['dataset.append', 'dataset.upload', 'dataset.load'])(
  'of rows of a %s that nobody could count no later step has an upper bound, and each says why',
  (use) => {
    const plan = planOf(filling(use));
    const callsOf = (known: PlanFacts): unknown[] => {
      const { steps: found } = forecast(plan, steps, known);
      return bounded.map(([id, operation]) =>
        found
          .find((step) => step.id === id)!
          .calls.filter((each) => each.operation === operation && each.max !== 0)
          .at(-1),
      );
    };
    const unbounded = bounded.map(([, operation]) => ({ operation, max: null, because: expect.any(String) }));
    const onlyMore: PlanFacts['table'] = (step) => (step === 'more' ? table : undefined);
    expect(callsOf({ table: onlyMore, datasets: held(500) })).toMatchObject(unbounded);
    expect(callsOf({ table: onlyMore, datasets: absent })).toMatchObject(unbounded);
    // A dataset that nobody has looked at may hold any number of rows.
    expect(callsOf(facts)).toMatchObject(unbounded);
    const counted = bounded.map(([, operation]) => ({ operation, max: expect.any(Number) }));
    expect(callsOf({ ...facts, datasets: held(500) })).toMatchObject(counted);
    const { irreversible } = forecast(plan, steps, { table: onlyMore, datasets: held(500) });
    expect(irreversible.map(({ says }) => says)).toEqual(['delete rows', 'replace ≤ 12,001 changed rows: each is deleted and added anew']);
  },
);

test('of a dataset that holds rows the plan says that those which are there unchanged are not sent again', () => {
  const does = (datasets: NonNullable<PlanFacts['datasets']>): string | undefined =>
    forecast(planOf(text), steps, { ...facts, datasets }).steps.find(({ id }) => id === 'rows')?.does;
  expect(does(held(24))).toBe('12,001 rows in 3 shards, 3.0 MB; those there unchanged are not sent again');
  for (const empty of [held(0), absent]) expect(does(empty)).toBe('12,001 rows in 3 shards, 3.0 MB');
});

test('rows that a step before has added are among those that may be replaced, and are looked up', () => {
  const plan = planOf(filling('dataset.append'));
  const more = forecast(plan, steps, { ...facts, datasets: absent }).steps.at(-1)!;
  // Three shards, of which every row may be added anew.
  expect(more.calls).toContainEqual({ operation: 'maps.data.addArrow', min: 0, max: 6 });
  expect(more.calls).toContainEqual({ operation: 'maps.data.delete', min: 0, max: 5 });
  expect(more.calls.filter(({ operation }) => operation === 'maps.data.get').map(({ max }) => max)).not.toContain(0);
});

test.each([
  [1, '1 part of 16 MiB'],
  [40 * 1024 ** 2, '3 parts of 16 MiB'],
  // More than 10,000 parts of 16 MiB.
  [200 * 1024 ** 3, '9753 parts of 21 MiB'],
])('an upload of %i bytes is said to be %s', (bytes, parts) => {
  const plan = planOf(
    'name: a\nsteps:\n  dataset: { use: dataset.ensure, with: { slug: movies } }\n  up: { use: dataset.upload, with: { dataset: "${{ steps.dataset.id }}", source: a.arrow, id: { row: true } } }\n',
  );
  const result = forecast(plan, steps, { table: () => ({ rows: 9, bytes, sent: 9, shards: 1, arrowBytes: [bytes, bytes] }) });
  expect(formatForecast(result, look)).toContain(`9 rows as one file in ${parts} `);
});

const charging = toSweep({
  file: '/project/steps/charge.mts',
  version: '1',
  code: {
    name: 'acme.charge',
    summary: 'Charge each.',
    input: z.strictObject({ count: z.int() }),
    effect: 'never',
    acts: { charge: 'perItem' },
    operations: { 'maps.projects.get': 'perItem', 'maps.projects.list': 2, 'maps.data.delete': 'perItem' },
    items: () => [],
    each: () => undefined,
  },
});
const asking = ownStep({
  name: 'acme.ask',
  input: z.strictObject({}),
  output: z.object({}),
  effect: 'safe',
  operations: ['maps.user.get'],
  run: () => ({}),
});

test('a step or sweep that only lists what it calls is told how it says how often, so that the run does as it says', () => {
  const each = toSweep({
    file: '/project/steps/look.mts',
    version: '1',
    code: {
      name: 'acme.look',
      input: z.strictObject({}),
      effect: 'safe',
      operations: ['maps.user.get'],
      items: () => [],
      each: () => undefined,
    },
  });
  const table = { ...steps, 'acme.look': each, 'acme.ask': asking };
  const plan = planOf('name: a\nsteps:\n  look: { use: acme.look }\n  ask: { use: acme.ask }\n', { steps: table });
  const because = forecast(plan, table, facts).steps.map(({ calls }) => calls.map((call) => 'because' in call && call.because));
  expect(because).toEqual([
    ["its code decides; the sweep can say how often: operations: { NAME: 'perItem' }, or a number where it lists its items by it"],
    ['its code decides; the step can say how often: operations: { NAME: 1 }'],
  ]);
  // A number holds for the listing of items, and for no item.
  const operations = { 'maps.user.get': 1 };
  expect(() => createAllowance({ name: 'acme.look', operations }, 'item')('maps.user.get')).toThrow('more often');
  expect(() => createAllowance({ name: 'acme.look', operations: { 'maps.user.get': 'perItem' } }, 'item')('maps.user.get')).not.toThrow();
});

test('an own step stands in the plan with what it says that it does, and how often', () => {
  const table = { ...steps, 'acme.charge': charging, 'acme.ask': asking };
  const plan = planOf(
    'name: a\nsteps:\n  ok: { use: gate.approve, with: { approves: [pay] } }\n  pay: { use: acme.charge, with: { count: 30 } }\n  ask: { use: acme.ask }\n',
    { steps: table },
  );
  const known = forecast(plan, table, { ...facts, listed: new Map([['pay', 30]]) });
  const by = (found: typeof known, id: string) => found.steps.find((step) => step.id === id)!;
  expect(by(known, 'pay')).toMatchObject({
    does: 'Charge each, item by item: 30 items',
    calls: [
      { operation: 'maps.projects.get', min: 0, max: 30 },
      { operation: 'maps.projects.list', min: 0, max: 2 },
      { operation: 'maps.data.delete', min: 0, max: 30 },
    ],
  });
  expect(by(known, 'ask').calls).toEqual([
    { operation: 'maps.user.get', min: 0, max: null, because: expect.stringContaining('its code decides') },
  ]);
  expect(known.irreversible.map(({ kind, most, gate }) => [kind, most, gate])).toEqual([
    ['charge', 30, 'ok'],
    ['maps.data.delete', 30, 'ok'],
  ]);
  expect(known.own).toEqual([]);
  expect(formatForecast(known, look)).toContain(
    'cannot be taken back: charge ≤ 30, maps.data.delete ≤ 30\n  pay: charge, at most 30 times',
  );

  const unknown = forecast(plan, table, facts);
  expect(unknown.irreversible[0]).toMatchObject({ kind: 'charge', most: null, because: 'its items are listed in the run' });
  expect(formatForecast(unknown, look)).toContain('charge nobody knows how many');
});

test('a dataset that the run writes and does not hold is named, unless the file names a key of its own', () => {
  const two = `name: two\nsteps:
  films: { use: dataset.ensure, with: { slug: films } }
  books: { use: dataset.ensure, with: { slug: books } }
`;
  const of = (more: string) => forecast(planOf(`${two}${more}`), steps, facts);
  expect(of('').notHeld).toEqual(['local/books']);
  expect(formatForecast(of(''), look)).toContain('\nnot held: local/books; another run may write there at the same time');
  for (const key of ['concurrency: library\n', 'concurrency: null\n']) expect(of(key).notHeld).toBeUndefined();
  expect(forecast(planOf(text), steps, facts).notHeld).toBeUndefined();
});

test('what a person must approve is said in words, and in red where there is colour', () => {
  const result = forecast(planOf(changing()), steps, { ...facts, datasets: held(3_076) });
  const [plainText, coloured] = [false, true].map((color) => formatForecast(result, { ...look, paint: createPaint(color) }));
  expect(plainText).toContain(
    '\ncannot be taken back: rows replaced ≤ 3,076, rows deleted ≤ 15,077\n  rows: replace ≤ 3,076 changed rows: each is deleted and added anew (not approved: by a gate, or portolan run --accept rows)\n  gone: delete ≤ 15,077 rows (waits for ask)',
  );
  const red = coloured!.split('\n').filter((line) => line.startsWith('\x1b[31m'));
  expect(red).toEqual([expect.stringContaining('cannot be taken back'), expect.stringContaining('  rows: replace')]);
});

test.each([60, 80, 120])('in %i columns no line is longer, and no word is broken', (columns) => {
  const texts = { ...look, connections: 'maps: local (http://127.0.0.1:7411)', columns, operations: false };
  const whole = formatForecast(forecast(planOf(changing()), steps, facts), { ...texts, columns: Infinity });
  const shown = formatForecast(forecast(planOf(changing()), steps, facts), texts);
  expect(shown.split('\n').filter((line) => line.length > columns)).toEqual([]);
  const words = (text: string): Set<string> => new Set(text.split(/\s+/));
  expect(
    words(shown)
      .difference(words(whole))
      .difference(new Set(['·'])),
  ).toEqual(new Set());
});

test('the parts of an upload are counted, and own steps are not said to do nothing', () => {
  const charge = ownStep({ name: 'acme.charge', input: z.strictObject({}), output: z.object({}), effect: 'never', run: () => ({}) });
  const table = { ...steps, 'acme.charge': charge };
  const plan = planOf(
    'name: a\nsteps:\n  dataset: { use: dataset.ensure, with: { slug: movies } }\n  up: { use: dataset.upload, with: { dataset: "${{ steps.dataset.id }}", source: a.arrow, id: { row: true } } }\n  pay: { use: acme.charge }\n',
    { steps: table },
  );
  const result = forecast(plan, table, {
    table: () => ({ rows: 9, bytes: 40 * 1024 ** 2, sent: 9, shards: 3, arrowBytes: [15 * 1024 ** 2, 40 * 1024 ** 2] }),
  });
  expect(result.steps.find(({ id }) => id === 'up')!.calls).toContainEqual({
    operation: 'maps.uploads.part',
    min: 1,
    max: 3,
    because: expect.stringContaining('expire'),
  });
  expect(result.own).toEqual(['pay']);
  const shown = formatForecast(result, look);
  expect(shown).toContain('not in this plan: what pay (own) does outside of the API');
  expect(shown).not.toContain('nothing is charged');
});

test('nothing is said to be free that is charged: by the contracts of the operations that will be called, and by what they cost', () => {
  const agents = `ask: { use: agent.run, with: { items: a.csv, prompt: "read {{text}}", cap: { item: 1, total: LIMIT } } }`;
  const said = (...lines: string[]): string =>
    formatForecast(forecast(planOf(`name: p\nsteps:\n  ${lines.join('\n  ')}\n`), steps, facts), look);
  const tokens = 'tokens of the agent and of its sub-agents';
  expect(said(agents.replace('LIMIT', '20'))).toContain(`nothing irreversible\ncharged: ask by ${tokens} ($0.00 to $20.00)`);
  expect(said(agents.replace(', cap: { item: 1, total: LIMIT }', ''))).toContain(`charged: ask by ${tokens} (no cap)`);
  expect(said(agents.replace('LIMIT', '0'))).toContain('nothing irreversible · nothing is charged');
  expect(said('read: { use: documents.parse, with: { files: "inbox/*" } }')).toContain('charged: read by the pages of the document');
  expect(said('read: { use: documents.parse, when: false, with: { files: "inbox/*" } }')).toContain('nothing is charged');
  expect(said('embed: { use: api.call, with: { operation: maps.embedding.text, input: { texts: [a] } } }')).toContain(
    'charged: embed by the tokens of the texts',
  );
});

test('a call of an operation that is deprecated says so in its line of the plan', () => {
  const doesOf = (operation: string): string | undefined =>
    forecast(
      planOf(
        `name: calls\nsteps:\n  call:\n    use: api.call\n    with: { operation: ${operation}, input: { project_id: 6f9619ff-8b86-d011-b42d-00c04fc964ff } }\n`,
      ),
      steps,
      facts,
    ).steps[0]?.does;
  expect(doesOf('maps.indices.update')).toBe(
    'Update the indices of a dataset with its additions and deletions. (deprecated: the text names no other operation for the same)',
  );
  expect(doesOf('maps.projects.get')).toBe('One dataset with its indices and maps.');
});
