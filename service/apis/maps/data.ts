import type { maps } from '../../../contracts/maps/index.ts';
import { appendShard } from '../../engine/datasets/append.ts';
import { readShard } from '../../engine/datasets/arrow-input.ts';
import { rowsToArrow } from '../../engine/datasets/arrow-output.ts';
import { select, type Dataset } from '../../engine/datasets/dataset.ts';
import { deleteRows } from '../../engine/datasets/delete.ts';
import { readyMap } from '../../engine/datasets/indices.ts';
import { chosenColumns, columnList, rowsById } from '../../engine/datasets/rows.ts';
import type { Row } from '../../engine/datasets/rows.ts';
import { whereOf } from '../../engine/datasets/selection.ts';
import { positionsTable } from '../../engine/datasets/schema.ts';
import { HttpError, invalidParameter, unknownIds } from '../../core/errors.ts';
import type { Handlers } from '../../http/handlers.ts';
import { buildOf, projectOf, unknown } from '../../core/records/projects.ts';
import type { ServiceReadings } from '../../core/readings.ts';
import { checkCap, checkRows } from './caps.ts';
import type { MapsState } from './state.ts';

/** The time of the last change as the service reports it. */
export const versionStamp = (readings: ServiceReadings, seconds: number | null): number | null =>
  seconds !== null && readings.of('version-unit') === 'milliseconds' ? seconds * 1_000 : seconds;

/** 404 where an id is not in the data. */
async function checkKnown(dataset: Dataset, ids: readonly string[]): Promise<void> {
  const { unknown } = await dataset.read(async (connection, factsHere) =>
    rowsById(dataset, connection, await factsHere(), ids, 'epoch-ms'),
  );
  if (unknown.length > 0) throw new HttpError(404, 'some datums were not found');
}

export const createData = ({ records, datasets, readings }: MapsState): Handlers<typeof maps>['data'] => ({
  async addArrow({ body }, { userId, requestId }) {
    const shard = readShard(body);
    checkRows(readings, shard.rows);
    const project = projectOf(records, userId, shard.projectId);
    const { checkpoint, addedAt } = await datasets.use(project.id, (dataset) =>
      appendShard(dataset, shard, project.unique_id_field, readings.all(), { requestId, operation: 'maps.data.addArrow' }),
    );
    return { result: 'ok', checkpoint, latest_addition_timestamp: versionStamp(readings, addedAt) };
  },
  get: ({ project_id, datum_ids }, { userId }) => {
    checkCap(readings, 'datum_ids', 'datum_ids', datum_ids.length);
    return datasets.use(projectOf(records, userId, project_id, 'read').id, async (dataset) => {
      const { idField, rows, unknown } = await dataset.read(async (connection, factsHere) => {
        const facts = await factsHere();
        return { idField: facts.idField, ...(await rowsById(dataset, connection, facts, datum_ids, readings.of('row-times'))) };
      });
      const reading = readings.of('unknown-datum');
      if (unknown.length === 0 || reading === 'left-out') return { datums: rows };
      if (reading === 'named') throw new HttpError(404, `unknown datum ids: ${unknown.join(', ')}`);
      if (reading === 'unnamed') throw new HttpError(404, 'some datums were not found');
      const known = new Map(rows.map((row) => [row[idField!], row]));
      return { datums: datum_ids.map((id) => known.get(id) ?? null) };
    });
  },
  rows: ({ dataset_id, field, value, offset_number, limit }, { userId }) => {
    if (((field ?? null) === null) !== ((value ?? null) === null))
      throw invalidParameter(field ? 'value' : 'field', 'a column and its value go together: send both, or neither');
    return datasets.use(projectOf(records, userId, dataset_id, 'read').id, (dataset) =>
      dataset.read(async (connection, factsHere) => {
        const facts = await factsHere();
        if (facts.columns.length === 0) return { data: [] };
        const [column] = field ? chosenColumns(facts, 'field', [field], invalidParameter) : [];
        if (column?.type === 'vector') throw invalidParameter('field', 'vectors are found by their neighbours');
        const filter = { method: 'category' as const, field: column?.name ?? '', values: [value ?? ''] };
        const columns = columnList(chosenColumns(facts, 'columns'), '', readings.of('row-times'));
        const where = await whereOf(
          connection,
          facts,
          { method: 'composition', conjunctor: 'ALL', filters: column ? [filter] : [] },
          {
            ...readings.all(),
            'empty-all': 'every',
            'category-values': 'any',
          },
        );
        // Of a replaced row the new one is shown.
        const data = await select<Row>(
          connection,
          `SELECT ${columns} FROM data WHERE "_row" NOT IN (SELECT "_row" FROM deleted WHERE replaced) AND (${where.sql}) ORDER BY "_row" LIMIT ? OFFSET ?`,
          [...where.params, limit, offset_number],
        );
        return { data };
      }),
    );
  },
  async delete({ project_id, datum_ids }, { userId, requestId }) {
    checkCap(readings, 'deletions', 'datum_ids', datum_ids.length);
    const { id } = projectOf(records, userId, project_id);
    if (readings.of('unknown-deletion') === 'refused') await datasets.use(id, (dataset) => checkKnown(dataset, datum_ids));
    await datasets.use(id, (dataset) =>
      deleteRows(dataset, id, datum_ids, readings.of('deletion-version') === 'at-once', { requestId, operation: 'maps.data.delete' }),
    );
    return { result: 'ok' };
  },
  lastModified: ({ dataset_id }, { userId }) =>
    datasets.use(projectOf(records, userId, dataset_id, 'read').id, async (dataset) => {
      const { checkpoint, addedAt } = await dataset.facts();
      return { result: 'ok', checkpoint, latest_addition_timestamp: versionStamp(readings, addedAt) };
    }),
  datums: ({ map_id, qids, response_type, columns }, { userId }) =>
    datasets.use(buildOf(records, userId, 'projection_id', map_id, 'read').project_id, async (dataset) => {
      const { chosen, rows } = await dataset.read(async (connection, factsHere) => {
        const facts = await factsHere();
        const index = readyMap(facts, map_id);
        const chosen = chosenColumns(facts, 'columns', columns);
        const rows = await select<Row & { qid: string }>(
          connection,
          `SELECT position.tix || '-' || position.rix AS " qid", ${columnList(chosen, 'data.')} FROM ${positionsTable(index.index_id)} position JOIN data USING ("_row")
           WHERE (position.tix::UBIGINT, position.rix::UBIGINT) IN (SELECT (try_cast(split_part(qid, '-', 1) AS UBIGINT), try_cast(split_part(qid, '-', 2) AS UBIGINT)) FROM (SELECT unnest(from_json(CAST(? AS VARCHAR), '["VARCHAR"]')) AS qid))`,
          [JSON.stringify([...new Set(qids)])],
        );
        return { chosen, rows };
      });
      const byQid = new Map(rows.map(({ ' qid': qid, ...row }) => [qid as string, row as Row]));
      const unknown = qids.filter((qid) => !byQid.has(qid));
      if (unknown.length > 0) throw unknownIds('qids', unknown);
      const ordered = qids.map((qid) => byQid.get(qid)!);
      return response_type === 'json' ? ordered : rowsToArrow(chosen, ordered);
    }),
  atoms: ({ project_id, index_id, atom_ids }, { userId }) => {
    checkCap(readings, 'datum_ids', 'atom_ids', atom_ids.length);
    const build = buildOf(records, userId, 'index_id', index_id, 'read');
    // Of another dataset the map is none of this one.
    if (build.project_id !== project_id) throw unknown(userId, 'index', index_id);
    return datasets.use(project_id, async (dataset) => {
      const {
        idField,
        rows,
        unknown: none,
      } = await dataset.read(async (connection, factsHere) => {
        const facts = await factsHere();
        readyMap(facts, build.projection_id);
        return { idField: facts.idField!, ...(await rowsById(dataset, connection, facts, atom_ids, readings.of('row-times'))) };
      });
      if (none.length > 0) throw unknownIds('atom ids', none);
      return { atoms: Object.fromEntries(rows.map((row) => [String(row[idField]), row])) };
    });
  },
});
