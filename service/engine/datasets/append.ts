import type { DuckDBConnection } from '@duckdb/node-api';
import type { Readings } from '../../../contracts/assumptions/index.ts';
import { now } from '../../core/clock.ts';
import { HttpError, invalid } from '../../core/errors.ts';
import { hashOfIds } from '../../core/journal.ts';
import { sha256 } from '../../../text/sha256.ts';
import type { JournalEntry } from '../../core/journal.ts';
import type { Shard } from './arrow-input.ts';
import { appendColumns } from './chunks.ts';
import type { ColumnData } from './chunks.ts';
import type { Dataset, DatasetState } from './dataset.ts';
import { journalAddition } from './journal-addition.ts';
import { createRows, fitRows } from './fit.ts';
import type { Fit } from './fit.ts';
import { listOfRows, locateForWrite } from './ids.ts';
import type { StoredColumn } from './schema.ts';
import { idsOf, pickRows, valuesOf } from './values.ts';
import type { Values } from './values.ts';
import { run } from './statements.ts';

export type Addition = { added: number; checkpoint: number; addedAt: number | null };

/** Base64 of a row number's bytes, the first of them not zero, without padding: the form that public clients give such ids. */
const automaticId = (row: number): string => {
  const hex = row.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
    .toString('base64')
    .replaceAll('=', '');
};

/** The assumptions that an addition meets. */
export type AdditionReadings = Pick<Readings, 'known-ids' | 'readded-id' | 'id-length'>;

const kinds = { int32: 'integer', float32: 'float', timestamp: 'timestamp' } as const;

const dataOf = ({ type, dimensions }: StoredColumn, of: Values): ColumnData => {
  if (of.kind === 'vectors') return { kind: 'vector', values: of.values, dimensions: dimensions! };
  if (of.kind === 'text') return { kind: 'text', values: of.values };
  return { kind: kinds[type as keyof typeof kinds], values: of.values, nulls: of.nulls };
};

/** Ids of rows that are sent as rows `from` on of the dataset. */
const idsOfRows = ({ automatic, idField }: Fit, shard: Shard, from: number, counted: AdditionReadings['id-length']): string[] =>
  automatic
    ? Array.from({ length: shard.rows }, (_, row) => automaticId(from + row))
    : idsOf(idField, shard.columns.find(({ name }) => name === idField)!.vector, shard.rows, counted);

const idConflict = (ids: readonly string[]): HttpError =>
  new HttpError(409, `Insert failed due to ID conflict: ${ids.length} ids are in the dataset, e.g. ${ids.slice(0, 3).join(', ')}`);

/** Counts of a dataset while rows are added to it. */
export type RowCounts = Pick<DatasetState, 'rows' | 'nextRow'>;

/** Rows of a shard at the places `fresh` as columns of the dataset, numbered from `from` on. */
const columnsOf = ({ columns, idField }: Fit, shard: Shard, ids: string[], fresh: readonly number[], from: number): ColumnData[] => {
  const sent = new Map(shard.columns.map(({ name, vector }) => [name, vector]));
  const data = columns.map((column) => {
    const values: Values = column.name === idField ? { kind: 'text', values: ids } : valuesOf(column, sent.get(column.name)!, shard.rows);
    return dataOf(column, fresh.length === shard.rows ? values : pickRows(column, values, fresh));
  });
  return [{ kind: 'bigint', values: Float64Array.from(fresh, (_, at) => from + at) }, ...data];
};

/**
 * Appends to `data` by way of a table in memory. Where many shards are one transaction, the engine compresses what fills a
 * row group at once: seconds that an appender would spend in this thread, and a statement spends in the engine's.
 */
const appendAside = async (connection: DuckDBConnection, data: ColumnData[], rows: number): Promise<void> => {
  await connection.run('CREATE TEMP TABLE aside AS FROM data LIMIT 0');
  await appendColumns(connection, 'aside', data, rows);
  await connection.run('INSERT INTO data FROM aside');
  await connection.run('DROP TABLE aside');
};

/**
 * Adds the rows of a shard to a dataset of these counts, in the open transaction. Ids that are there: 409, or what the reading of
 * `known-ids` says where the shard asks for them to be ignored. An id that waits for its deletion is free by the guessed reading of `readded-id`: its new row is what
 * reads show from now on, and the count stays. `since`: the first row of an addition of many shards; 422 for an id that is among the rows from there on.
 */
export const addRows = async (
  dataset: Dataset,
  connection: DuckDBConnection,
  fit: Fit,
  shard: Shard,
  counts: RowCounts,
  { 'known-ids': conflicts, 'readded-id': readded, 'id-length': counted }: AdditionReadings,
  since?: number,
): Promise<{ ids: string[]; added: number; after: RowCounts }> => {
  const ids = idsOfRows(fit, shard, counts.nextRow, counted);
  const { hashes, latest, rows } = await locateForWrite(dataset, connection, fit.first && counts.nextRow === 0 ? null : fit.idField, ids);
  const twice = since === undefined ? undefined : rows.find(({ row }) => row >= since);
  if (twice) throw invalid(fit.idField, `the unique id ${JSON.stringify(twice.id)} occurs twice in the file`);
  const known = [...latest].filter(([, { pending }]) => readded === 'skipped' || !pending).map(([id]) => id);
  if (known.length > 0 && (!shard.ignoreConflicts || conflicts === 'refused')) throw idConflict(known);
  const taken = new Set(conflicts === 'replaced' ? known.filter((id) => latest.get(id)!.pending) : known);
  const fresh = taken.size === 0 ? [...ids.keys()] : [...ids.keys()].filter((at) => !taken.has(ids[at]!));
  if (fresh.length === 0) return { ids, added: 0, after: { rows: counts.rows, nextRow: counts.nextRow } };
  const data = columnsOf(fit, shard, ids, fresh, counts.nextRow);
  await (since === undefined ? appendColumns(connection, 'data', data, fresh.length) : appendAside(connection, data, fresh.length));
  dataset.ids.add(hashes, fresh, counts.nextRow);
  const replaced = rows.filter(({ id }) => !taken.has(id));
  const standing = replaced.filter(({ pending }) => !pending).map(({ row }) => row);
  if (standing.length > 0)
    await run(connection, `INSERT INTO deleted SELECT unnest(from_json(CAST(? AS VARCHAR), '["BIGINT"]')), true`, [
      JSON.stringify(standing),
    ]);
  if (replaced.length > 0)
    await run(connection, `UPDATE deleted SET replaced = true WHERE "_row" IN ${listOfRows}`, [
      JSON.stringify(replaced.map(({ row }) => row)),
    ]);
  if (readded === 'lost' && replaced.length > 0) {
    const again = new Set(replaced.filter(({ pending }) => pending).map(({ id }) => id));
    const lost = fresh.flatMap((at, place) => (again.has(ids[at]!) ? [counts.nextRow + place] : []));
    await run(connection, `INSERT INTO deleted SELECT unnest(from_json(CAST(? AS VARCHAR), '["BIGINT"]')), false`, [JSON.stringify(lost)]);
  }
  const grown = fresh.length - (latest.size - taken.size);
  return { ids, added: fresh.length, after: { rows: counts.rows + grown, nextRow: counts.nextRow + fresh.length } };
};

/** Writes the counts after an addition; the data have a new version where rows were added. */
export const noteAddition = async (
  connection: DuckDBConnection,
  facts: DatasetState,
  { rows, nextRow }: RowCounts,
): Promise<{ checkpoint: number; addedAt: number | null }> => {
  if (nextRow === facts.nextRow) return { checkpoint: facts.checkpoint, addedAt: facts.addedAt };
  const version = { checkpoint: facts.checkpoint + 1, addedAt: now() / 1_000 };
  await run(connection, 'UPDATE state SET rows = ?, next_row = ?, checkpoint = ?, added_at = ?', [
    rows,
    nextRow,
    version.checkpoint,
    version.addedAt,
  ]);
  return version;
};

/**
 * Adds a shard in one transaction with its journal row. The first one fixes the columns; later ones are cast to them.
 * Known ids: 409 with nothing written, or skipped where the shard says so. 409 while an index is built.
 */
export const appendShard = (
  dataset: Dataset,
  shard: Shard & { projectId: string },
  uniqueIdField: string | null,
  readings: AdditionReadings,
  entry: Pick<JournalEntry, 'requestId' | 'operation'>,
): Promise<Addition> =>
  dataset.write(async (connection) => {
    const facts = await dataset.facts();
    const fit = fitRows(facts, shard, uniqueIdField);
    if (fit.first) await createRows(connection, fit);
    const { ids, added, after } = await addRows(dataset, connection, fit, shard, facts, readings);
    const version = await noteAddition(connection, facts, after);
    const { projectId: project, bytes } = shard;
    // Ids that the service makes are others each time.
    const content = fit.automatic ? { project, shard: sha256(bytes) } : { project, ids: hashOfIds(ids) };
    await journalAddition(
      connection,
      { ...entry, subject: `dataset/${project}`, act: 'add', content },
      { sent: shard.rows, added, from: facts.nextRow, to: after.nextRow },
    );
    if (!fit.first) dataset.expect({ ...facts, ...after, ...version });
    return { added, ...version };
  });
