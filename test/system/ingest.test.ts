import { expect, test } from 'vitest';
import { readFile } from 'node:fs/promises';
import { moviesOf, newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const ingest = (id: string): string => `
name: movies
params:
  source: { type: path }
  dataset: { type: slug }
steps:
  dataset:
    use: dataset.ensure
    with: { slug: "\${{ params.dataset }}" }
  rows:
    use: dataset.append
    with:
      dataset: \${{ steps.dataset.id }}
      source: \${{ params.source }}
      id: ${id}
      columns:
        title: Title
        gross: '"US Gross"'
        genre: coalesce("Major Genre", 'none')
        score: '"IMDB Rating" * 10'
        votes: '"IMDB Votes"::varchar'
        text: concat_ws(' ', Title::varchar, "Major Genre", Director)
    tolerate: { rejected: 5% }
  map:
    use: index.build
    with: { dataset: "\${{ steps.rows.dataset }}", embed: text }
  rich:
    use: points.select
    with: { map: "\${{ steps.map.id }}", where: { all: [ { range: gross, from: 50000000 }, { not: { category: genre, in: [Comedy] } } ] } }
  tag:
    use: points.tag
    with: { map: "\${{ steps.map.id }}", points: "\${{ steps.rich.points }}", add: rich }
  near:
    use: points.search
    with: { map: "\${{ steps.map.id }}", query: a horror film, k: 3, fields: [title, genre] }
outputs:
  dataset: \${{ steps.dataset.id }}
  map: \${{ steps.map.id }}
  rows: \${{ steps.rows }}
  tag: \${{ steps.tag }}
  near: \${{ steps.near.results.map(r, r.title) }}
`;

const records = moviesOf(300);
const isRich = (row: Record<string, unknown>): boolean => Number(row['US Gross'] ?? NaN) >= 50_000_000 && row['Major Genre'] !== 'Comedy';

test('the whole ingest: rows, map, tag and search are at the service, and every item has a fate', async () => {
  const dataset = newSlug('movies');
  const source = await world.write('movies.json', records);
  const { value: first, effects } = await world.effectsOf(() => world.run(ingest('{ row: true }'), { source, dataset }));
  expect(first).toMatchObject({ code: 0, result: { state: 'done' } });
  const { outputs, run } = first.result;

  // What was done, by the service's own journal and counts.
  expect(effects.map(({ operation }) => operation)).toEqual([
    'maps.projects.create',
    'maps.data.addArrow',
    'maps.indices.create',
    'maps.tags.update',
  ]);
  expect(outputs['rows']).toMatchObject({
    rows: 300,
    added: 300,
    present: 0,
    changed: 0,
    rejected: 0,
    columns: ['id', 'title', 'gross', 'genre', 'score', 'votes', 'text'],
  });
  const project = await world.api.projects.get({ project_id: outputs['dataset'] });
  expect(project).toMatchObject({ slug: dataset, total_datums_in_project: 300 });
  const rich = records.filter(isRich).length;
  expect(outputs['tag']).toMatchObject({ count: rich, missing: 0 });
  // The points, and the tag itself, which was new.
  expect(effects.at(-1)!.changed).toBe(rich + 1);
  expect(outputs['near']).toHaveLength(3);

  // A column of texts and numbers arrives as plain text, not as JSON.
  const added = await world.store(run).readItems({ step: 'rows', status: 'added' });
  const { datums } = await world.api.data.get({ project_id: outputs['dataset'], datum_ids: added.map(({ item }) => item) });
  const titles = datums.map((row) => String(row['title']));
  expect(titles.toSorted()).toEqual(records.map((row) => String(row['Title'])).toSorted());
  expect(titles).toContain('1776');

  // The ledger agrees with the counts.
  expect(await world.store(run).countItems()).toEqual(
    expect.arrayContaining([
      { step: 'rows', status: 'added', count: 300 },
      { step: 'tag', status: 'tagged', count: rich },
    ]),
  );
  expect(await readFile(world.store(run).path('report.html'), 'utf8')).toContain(run);

  // A second run finds everything as it is.
  const again = await world.effectsOf(() => world.run(ingest('{ row: true }'), { source, dataset }));
  expect(again.value).toMatchObject({
    code: 0,
    result: { outputs: { rows: { added: 0, present: 300 }, tag: { count: rich, unchanged: true } } },
  });
  expect(again.effects).toEqual([]);

  // One more record, the others in another order: one row is sent.
  await world.write('movies.json', [...records, { ...records[0]!, Title: 'A new one' }].toReversed());
  const more = await world.effectsOf(() => world.run(ingest('{ row: true }'), { source, dataset }));
  expect(more.value).toMatchObject({ code: 0, result: { outputs: { rows: { rows: 301, added: 1, present: 300 } } } });
  expect(more.effects.filter(({ operation }) => operation === 'maps.data.addArrow')).toMatchObject([{ changed: 1 }]);
});

const table = (id: string, tolerate = ''): string => `
name: table
params:
  source: { type: path }
  dataset: { type: slug }
steps:
  dataset:
    use: dataset.ensure
    with: { slug: "\${{ params.dataset }}" }
  rows:
    use: dataset.append
    with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: ${id} }
${tolerate}
outputs: { dataset: "\${{ steps.dataset.id }}", rows: "\${{ steps.rows }}" }
`;

test('a known id whose row changed is reported and not sent', async () => {
  const dataset = newSlug('changed');
  const rows = [1, 2, 3].map((at) => ({ key: `k${at}`, word: `word ${at}`, uses: at }));
  const source = await world.write('changed.json', rows);
  await world.run(table('{ column: key }'), { source, dataset });
  await world.write(
    'changed.json',
    rows.map((row) => (row.key === 'k2' ? { ...row, word: 'another word' } : row)),
  );
  const { value, effects } = await world.effectsOf(() => world.run(table('{ column: key }'), { source, dataset }));
  expect(value.result.outputs['rows']).toMatchObject({ added: 0, present: 2, changed: 1 });
  expect(effects).toEqual([]);
  expect(await world.store(value.result.run).readItems({ status: 'changed' })).toMatchObject([
    { item: 'k2', reason: expect.stringContaining('changed, not sent') },
  ]);
});

test('ids that stand twice are refused before anything is sent', async () => {
  const dataset = newSlug('twice');
  const source = await world.write('twice.json', [
    { key: 'a', n: 1 },
    { key: 'b', n: 2 },
    { key: 'a', n: 3 },
  ]);
  const file = await world.pipeline(table('{ column: key }'));
  const { value, effects } = await world.effectsOf(() =>
    world.portolan(['run', file, '-c', 'local', '-p', `source=${source}`, '-p', `dataset=${dataset}`]),
  );
  expect(value).toMatchObject({ code: 2, err: expect.stringContaining('repeated-id') });
  expect(effects).toEqual([]);
});

test('rows beyond what the service takes go to the ledger, and the run fails where more than tolerated do', async () => {
  const rows = [
    ...Array.from({ length: 8 }, (_, at) => ({ key: `k${at}`, word: 'x' })),
    { key: 'y'.repeat(37), word: 'too long' },
    { key: null, word: 'none' },
  ];
  const source = await world.write('rejects.json', rows);
  const failed = await world.effectsOf(() =>
    world.run(table('{ column: key }', '    tolerate: { rejected: 10% }'), { source, dataset: newSlug('reject') }),
  );
  expect(failed.value.result).toMatchObject({
    state: 'failed',
    error: { message: expect.stringMatching(/2 of 10 items rejected \(20\.0 %, tolerated 10\.0 %\); first: row 9: .*36/) },
  });
  expect(failed.effects.map(({ operation }) => operation)).toEqual(['maps.projects.create']);

  const dataset = newSlug('reject');
  const { result } = await world.run(table('{ column: key }', '    tolerate: { rejected: 2 }'), { source, dataset });
  expect(result).toMatchObject({ state: 'done', outputs: { rows: { rows: 10, added: 8, rejected: 2 } } });
  expect((await world.api.projects.get({ project_id: result.outputs['dataset'] })).total_datums_in_project).toBe(8);
  expect((await world.store(result.run).readItems({ status: 'rejected' })).map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/36/),
    expect.any(String),
  ]);
});

test('a path that begins with an expression is seen from the folder of the file, as every other is', async () => {
  await world.write('pipelines/late/a.csv', 'id,text\n1,one\n2,two\n');
  const { result } = await world.run(
    `
name: late
params: { dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}", idField: id } }
  each:
    forEach: { items: [late], as: folder, parallel: 1 }
    steps:
      rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ folder }}/a.csv", id: { column: id } } }
    outputs: { rows: "\${{ steps.rows.rows }}" }
outputs: { rows: "\${{ steps.each.results }}" }
`,
    { dataset: newSlug('late') },
  );
  expect([result.state, result.error]).toEqual(['done', undefined]);
  expect(await world.store(result.run).countItems()).toEqual([expect.objectContaining({ status: 'added', count: 2 })]);
});
