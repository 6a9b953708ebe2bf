import { expect, test } from 'vitest';
import { createTables } from '../../child/host/create-tables.ts';
import type { Readings } from '../../contracts/assumptions/index.ts';
import { batchesOf, type Batches } from '../../contracts/maps/batches.ts';
import { anyConnection, unknownFacts, type Facts } from '../../pipelines/step.ts';
import { steps } from '../../pipelines/steps/table.ts';
import { createProject } from '../service/world.ts';
import { outsideOf } from '../support/held-against.ts';
import { createStepWorld, type StepOptions, type StepResult } from './step-world.ts';

const rows = 230;
const words = ['ship', 'harbour', 'storm', 'bread'];
const table = (changed = ''): object[] =>
  Array.from({ length: rows }, (_, at) => ({ key: `row-${at}`, text: `${words[at % 4]} ${at}${changed}`, year: 1900 + at }));

test.each<[string, Partial<Batches>, Partial<Readings>]>([
  ['of the usual size', {}, {}],
  ['of a connection that takes little at a time', { rows: 50, ids: 20, tags: 30, deletions: 40, neighbors: 7 }, {}],
  [
    'of a connection whose readings are named',
    {},
    { 'range-ends': 'both', 'search-match': 'substring', 'inverted-null': 'matches', 'selection-size': 'whole' },
  ],
])('what steps send is within their plan: calls %s', async (_, batch, readings) => {
  await using world = await createStepWorld([], { batch, readings });
  const { project_id: dataset } = await createProject(world, 'planned');
  const connection = { batch: batchesOf(batch), readings, lagMs: 5_000 };
  const held = (count: number): Partial<Facts> => ({ dataset: { exists: true, id: dataset, rows: count } });

  const append = { dataset, id: { column: 'key' } };

  /** One step, and its calls held against its forecast. */
  const planned = async (use: string, input: object, facts: Partial<Facts> = {}, options: StepOptions = {}): Promise<StepResult> => {
    const { calls } = steps[use]!.forecast(input, {
      ...unknownFacts,
      ...connection,
      ...facts,
    });
    const { value, calls: sent } = await world.callsOf(() => world.newRun().step(use, input, options));
    expect(outsideOf({ steps: [{ calls }] }, sent), use).toEqual([]);
    return value;
  };
  const source = async (changed?: string): Promise<{ path: string } & Pick<Facts, 'table'>> => {
    const path = await world.table(table(changed));
    const { rows: maxRows, bytes: maxBytes } = connection.batch;
    // A child of its own: those of the steps begin in an activity.
    const tables = createTables();
    const { since: _, ...measured } = await tables.measure({ source: path, id: append.id, idField: 'id', maxRows, maxBytes });
    await tables.close();
    return { path, table: measured };
  };

  const first = await source();
  await planned('dataset.append', { ...append, source: first.path }, { ...first, ...held(0) });
  await planned('dataset.append', { ...append, source: first.path }, { ...first, ...held(rows) });
  const { output: map } = await planned('index.build', { dataset, embed: 'text' }, held(rows));
  await planned('index.build', { dataset, embed: 'text' }, held(rows));

  const { output: all } = await planned('points.select', { map: map.id }, held(rows));
  const where = { all: [{ range: 'year', from: 1950 }, { not: { range: 'year', from: 2000 } }, { search: 'text', for: 'ship' }] };
  await planned('points.select', { map: map.id, where }, held(rows));
  await planned('points.search', { map: map.id, query: 'ship', fields: ['text'] }, held(rows));
  await planned('points.search', { map: map.id, query: 'ship', fields: ['text'], where: { range: 'year', from: 1950 } }, held(rows));
  await planned('points.neighbors', { map: map.id, points: all.points, k: 2 }, held(rows));
  await planned('points.tag', { map: map.id, points: all.points, add: 'all' }, held(rows));

  const second = await source(' more');
  await planned(
    'dataset.append',
    { ...append, source: second.path, onChange: 'replace' },
    { ...second, ...held(rows) },
    { approved: true },
  );
  await planned('index.build', { dataset, embed: 'text' }, held(rows));
  await planned('data.delete', { dataset, points: all.points }, held(rows));
  await planned('index.update', { dataset }, held(rows));
});

const facts = (known: boolean, dataset: Facts['dataset']): Facts => ({
  table: known ? { rows: 700_000, bytes: 9_000_000_000, sent: 700_000, shards: 600, arrowBytes: [9e9, 9e9] } : undefined,
  items: undefined,
  listed: undefined,
  dataset,
  ...anyConnection,
});

test.each(Object.values(steps).map((step) => [step.name, step] as const))('every operation of %s stands in its forecast', (_, step) => {
  const inputs = [
    step.example,
    { ...step.example, onChange: 'replace' },
    { ...step.example, onChange: 'rebuild' },
    { ...step.example, where: undefined },
  ];
  for (const dataset of [undefined, { exists: false, rows: 0 }, { exists: true, id: '', rows: 90 }] as const)
    for (const known of [true, false])
      for (const input of inputs) {
        const planned = step.forecast(input, facts(known, dataset)).calls.map(({ operation }) => operation);
        expect([input, step.operations.filter((operation) => !planned.includes(operation))]).toEqual([input, []]);
      }
});
