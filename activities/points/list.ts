import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IdColumns } from '../../child/id-columns.ts';
import { BadInput } from '../../errors/classes.ts';
import type { definition } from '../../pipelines/steps/points/list.ts';
import { isQuery, sourceName } from '../../pipelines/source-name.ts';
import type { SourceSpec } from '../../pipelines/source-spec.ts';
import { distinctTexts } from '../../store/distinct-texts.ts';
import { refuseChanged } from '../sources/check-unchanged.ts';
import type { ActivityOf } from '../frame/activity.ts';
import type { StepContext } from '../frame/context.ts';
import { mapFacts } from './map-facts.ts';

/** Rows that are held at a time while their ids are read. */
const chunks = { parts: 1, leastRows: 20_000, mostRows: 20_000 };

const activity: ActivityOf<typeof definition> = {
  async run({ map, ids, source, column }, context) {
    const { idField } = await mapFacts(context, map);
    const points =
      ids === undefined
        ? await pointsOf(source!, column, idField, context)
        : await context.store.writeIds(`${context.step}/${context.attemptId}`, [[...new Set(ids)]]);
    return { points, count: points.count, map };
  },
};
export default activity;

/** The ids of a column, each once. */
async function pointsOf(source: SourceSpec, named: string | undefined, idField: string, context: StepContext) {
  const place = `${context.step}/${context.attemptId}`;
  const into = context.store.path('ids', `${place}-rows`);
  const listed = await context.tables.listRows(
    { source, into, ...chunks, ids: idsIn(source, named, idField) },
    { signal: context.signal, progress: (done) => context.progress({ done, unit: 'rows', note: 'reading' }) },
  );
  const name = sourceName(source);
  refuseChanged(context, name, { ...listed.source, rows: listed.rows });
  let column = named;
  const all = await context.store.writeIds(`${place}-all`, async (add) => {
    for (const { file, first } of listed.parts) {
      const rows = (await readFile(join(into, file), 'utf8')).split('\n').filter(Boolean);
      await add(
        rows.map((line, at) => {
          const [, row] = JSON.parse(line) as [string, Record<string, unknown>];
          column ??= columnOf(Object.keys(row), idField, name);
          return idIn(row, column, { name, row: first + at + 1 });
        }),
      );
    }
  });
  const points = await context.store.writeIds(place, async (add) => {
    if (all.count > 0) for await (const ids of distinctTexts(join(fileURLToPath(all.uri), '*.parquet'), 'id')) await add(ids);
  });
  await Promise.all([into, fileURLToPath(all.uri)].map((folder) => rm(folder, { recursive: true, force: true })));
  return points;
}

/** Of a file without a named column each may hold the ids; in a query the columns of its tables are known by name alone. */
const idsIn = (source: SourceSpec, named: string | undefined, idField: string): IdColumns =>
  named === undefined && !isQuery(source) ? 'all' : [named ?? idField];

function columnOf(columns: readonly string[], idField: string, name: string): string {
  const [only] = columns;
  if (columns.includes(idField)) return idField;
  if (columns.length === 1) return only!;
  throw new BadInput(
    'bad_input',
    `${name}: none of its columns ${columns.join(', ')} is called '${idField}' as the ids of the dataset are: name one, column: …`,
  );
}

function idIn(row: Record<string, unknown>, column: string, { name, row: at }: { name: string; row: number }): string {
  if (!Object.hasOwn(row, column))
    throw new BadInput('bad_input', `${name}: has no column '${column}'; it has ${Object.keys(row).join(', ')}`);
  const id = row[column];
  if ((typeof id === 'string' && id !== '') || typeof id === 'number') return String(id);
  throw new BadInput('bad_input', `${name}: row ${at} has no id in '${column}'`);
}
