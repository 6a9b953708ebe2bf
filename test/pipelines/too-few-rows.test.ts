import { expect, test } from 'vitest';
import { forecast } from '../../pipelines/forecast/forecast.ts';
import type { TableFacts } from '../../pipelines/source-spec.ts';
import type { DatasetFacts } from '../../pipelines/step.ts';
import { withOwn } from '../../pipelines/steps/table.ts';
import { planOf, sample } from './support.ts';

const steps = withOwn([sample]);

const fresh: DatasetFacts = { exists: false, rows: 0 };
const there = (rows: number): DatasetFacts => ({ exists: true, id: '6f9619ff-8b86-4011-b42d-00c04fc964ff', rows });

/** A file that adds so many rows by each of its steps `rowsN`, and then builds a map; `more`: further lines. */
const text = (adding: number, more = '', map = ''): string => `
name: books
steps:
  dataset: { use: dataset.ensure, with: { slug: books } }
${Array.from({ length: adding }, (_, at) => `  rows${at}: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: books.csv, id: { row: true } } }\n`).join('')}${more}
  map: { use: index.build, with: { dataset: "\${{ steps.dataset.id }}", embed: text }${adding > 0 ? ', needs: [rows0]' : ''}${map} }
`;

/** What is said of the map, where each table has so many rows. */
function said(file: string, dataset: DatasetFacts | undefined, sent: number | undefined): { problems?: string[]; doubts?: string[] } {
  const table = sent === undefined ? undefined : ({ rows: sent, bytes: 9, sent, shards: 1, arrowBytes: [9, 9] } satisfies TableFacts);
  const datasets = new Map(dataset ? [['dataset', dataset] as const] : []);
  const { problems, doubts } = forecast(planOf(file), steps, {
    table: (step) => (step.startsWith('rows') ? table : undefined),
    datasets,
  }).steps.find(({ id }) => id === 'map')!;
  return { ...(problems && { problems }), ...(doubts && { doubts }) };
}

const few = (rows: number): string =>
  `a map needs at least 20 rows, and its dataset will have ${rows} row${rows === 1 ? '' : 's'} at most: add rows, or leave the map out`;

test('a map of a new dataset that will have fewer than 20 rows will fail', () => {
  expect(said(text(1), fresh, 4)).toEqual({ problems: [few(4)] });
  expect(said(text(1), fresh, 19)).toEqual({ problems: [few(19)] });
  expect(said(text(0), fresh, undefined)).toEqual({ problems: [few(0)] });
  expect(said(text(2), fresh, 9)).toEqual({ problems: [few(18)] });
});

test('of a dataset that is there it is a doubt: it may have a map already', () => {
  expect(said(text(1), there(4), 4)).toEqual({ doubts: [few(8)] });
});

test.each([
  ['there are enough', text(1), fresh, 20],
  ['two tables have enough together', text(2), fresh, 10],
  ['the dataset has enough', text(1), there(16), 4],
  ['nobody has counted the table', text(1), fresh, undefined],
  ['nobody has looked for the dataset', text(1), undefined, 4],
  ['another step may add some', text(1, '  own: { use: acme.sample }\n'), fresh, 4],
  ['a person may add some', text(1, '  ask: { use: gate.approve, with: { approves: [map] } }\n'), fresh, 4],
  ['the map may be left out', text(1, '', ', when: "${{ steps.rows0.added > 19 }}"'), fresh, 4],
  ['the run may go on without it', text(1, '', ', onError: tolerate'), fresh, 4],
])('nothing is said of a map where %s', (_, file, dataset, sent) => {
  expect(said(file, dataset, sent)).toEqual({});
});
