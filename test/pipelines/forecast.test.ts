import { expect, test } from 'vitest';
import { limits } from '../../contracts/limits.ts';
import { floorOf, forecast } from '../../pipelines/forecast/forecast.ts';
import { formatForecast } from '../../pipelines/forecast/format.ts';
import { toStep } from '../../pipelines/own/load-steps.ts';
import { steps } from '../../pipelines/steps/table.ts';
import { z } from 'zod';
import type { Step } from '../../pipelines/step.ts';
import { planOf } from './support.ts';

const facts = { source: (path: string) => ({ path, rows: 12_001, bytes: 3_000_000, sha256: '', columns: [] }) };

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
  const result = forecast(plan, steps, facts);
  const by = Object.fromEntries(result.steps.map((step) => [step.id, step]));
  expect(result.hash).toBe(plan.hash);
  // 12,001 rows are three shards of 5,000; their ids are the bound of what is tagged.
  expect(by['rows']).toMatchObject({
    writing: [3, 3],
    limits: expect.arrayContaining([{ limit: 'maps/data', calls: [3, 3], floorSeconds: 0 }]),
  });
  expect(by['tag']).toMatchObject({ does: 'tag ≤ 12,001 points', writing: [0, 5], reads: [2, 2] });
  expect(by['all']).toMatchObject({ writing: [0, 0], reads: [1, 1] });
  const sums = result.steps.reduce(
    (sum, { writing, reads }) => sum.map((value, index) => value + [...writing, ...reads][index]!),
    [0, 0, 0, 0],
  );
  expect([result.totals.writing, result.totals.reads].flat()).toEqual(sums);
  expect(result.irreversible).toEqual([]);
  expect(forecast(plan, steps, { source: () => undefined }).steps[1]!.does).toBe('add rows');
});

test('writing calls are exact where the dataset is new, and at most where it is there', () => {
  const plan = planOf(text);
  const writing = (newDataset?: boolean): unknown[] =>
    forecast(plan, steps, { ...facts, ...(newDataset === undefined ? {} : { newDataset }) })
      .steps.slice(0, 3)
      .map((step) => step.writing);
  expect(writing(true)).toEqual([
    [1, 1],
    [3, 3],
    [1, 1],
  ]);
  expect(writing(false)).toEqual([
    [0, 0],
    [0, 3],
    [0, 2],
  ]);
  expect(writing()).toEqual([
    [0, 1],
    [3, 3],
    [1, 1],
  ]);
});

test('the floor is that of the published limit, shared by all steps of a run', () => {
  const limit = { ...limits['maps/embedding'] };
  expect([0, 1, 1_200, 1_201, 2_400, 2_401].map((requests) => floorOf(limit, requests))).toEqual([0, 0, 0, 300, 300, 600]);
  expect(floorOf(limits['maps/tag'], 1e6)).toBe(0);

  const embed = (name: string, calls: number, seconds?: number): Step => ({
    ...toStep({ name, input: z.strictObject({}), output: z.object({}), effect: 'safe', run: () => ({}) }),
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
  const slow = (name: string, seconds: number): Step => ({
    ...toStep({ name, input: z.strictObject({}), output: z.object({}), effect: 'safe', run: () => ({}) }),
    forecast: () => ({ does: 'wait', calls: [], seconds, irreversible: ['acme: gone'] }),
  });
  const table = { 'acme.ten': slow('acme.ten', 10), 'acme.one': slow('acme.one', 1), 'gate.approve': steps['gate.approve']! };
  const plan = planOf(
    'name: a\nsteps:\n  ok: { use: gate.approve }\n  a: { use: acme.ten, needs: [ok] }\n  b: { use: acme.one, needs: [a] }\n  c: { use: acme.ten, needs: [ok] }\n',
    { steps: table },
  );
  const result = forecast(plan, table, facts);
  expect(result.totals.estimateSeconds).toBe(11);
  expect(result.irreversible).toEqual(
    ['a: acme: gone', 'c: acme: gone', 'b: acme: gone'].toSorted(
      (x, y) => plan.steps.findIndex(({ id }) => id === x[0]) - plan.steps.findIndex(({ id }) => id === y[0]),
    ),
  );
});

test('the table', () => {
  const shown = formatForecast(
    { ...forecast(planOf(text), steps, facts), hash: '3f9c00a1' },
    { connections: 'maps: local (http://127.0.0.1:7411)', hosted: false },
  );
  expect(`\n${shown}\n`).toMatchInlineSnapshot(`
    "
    ingest  →  maps: local (http://127.0.0.1:7411)                                        plan 3f9c…a1
      step     does                                                calls  limit               at least
      dataset  find or create dataset "movies"     0–1 write + 2–3 reads  -                          -
      rows     12,001 rows in 3 shards, 3.0 MB     3 writes + 2–28 reads  -       about 1 s (estimate)
      map      embed 12,001 points, build the map   1 write + 5–37 reads  -      about 82 s (estimate)
      all      one selection                                      1 read  -       about 1 s (estimate)
      tag      tag ≤ 12,001 points                  0–5 writes + 2 reads  -       about 1 s (estimate)
      total                              4–10 writing calls, 12–71 reads         about 83 s (estimate)
    nothing irreversible · nothing is charged
    "
  `);
});
