import type { DuckDBConnection } from '@duckdb/node-api';
import { now } from '../clock.ts';
import { HttpError, invalid } from '../errors.ts';
import { hashOfIds } from '../journal.ts';
import type { JournalEntry } from '../journal.ts';
import { checkShardNames } from './arrow-input.ts';
import type { Shard } from './arrow-input.ts';
import { appendColumns } from './chunks.ts';
import type { ColumnData } from './chunks.ts';
import { readFacts, select, writeJournal } from './dataset.ts';
import type { Dataset } from './dataset.ts';
import { knownIds } from './ids.ts';
import { quoted, sqlType } from './schema.ts';
import type { Column } from './schema.ts';
import { idsOf, valuesOf } from './values.ts';
import type { Values } from './values.ts';

/** Field of the ids that the service makes itself where a dataset names none (older clients). */
export const AUTO_ID = 'id_';

export type Addition = { added: number; checkpoint: number; addedAt: number | null };

const autoId = (row: number): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(row);
  return bytes.toString('base64').replaceAll('=', '');
};

const kinds = { int32: 'integer', float32: 'float', timestamp: 'timestamp', string: 'text' } as const;

const dataOf = ({ type, dimensions }: Column, values: Values): ColumnData =>
  type === 'vector'
    ? { kind: 'vector', values: values as Float32Array, dimensions: dimensions! }
    : ({ kind: kinds[type], values } as ColumnData);

const pick = (column: Column, values: Values, rows: number[]): Values => {
  if (column.type !== 'vector') return rows.map((row) => values[row]!) as Values;
  const picked = new Float32Array(rows.length * column.dimensions!);
  for (const [at, row] of rows.entries())
    picked.set((values as Float32Array).subarray(row * column.dimensions!, (row + 1) * column.dimensions!), at * column.dimensions!);
  return picked;
};

const createRows = async (connection: DuckDBConnection, columns: Column[], idField: string): Promise<void> => {
  await connection.run(
    `CREATE TABLE data ("_row" BIGINT NOT NULL, ${columns.map((column) => `${quoted(column.name)} ${sqlType(column)}`).join(', ')})`,
  );
  for (const [position, { name, type, dimensions }] of columns.entries())
    await connection.run('INSERT INTO columns VALUES (?, ?, ?, ?)', [position, name, type, dimensions]);
  await connection.run('UPDATE state SET id_field = ?', [idField]);
};

/**
 * Adds a shard in one transaction with its journal row. The first one fixes the columns; later ones are cast to
 * them. Known ids: 409 with nothing written, or skipped where the shard says so. 409 while an index is built.
 */
export const appendShard = (
  dataset: Dataset,
  shard: Shard,
  uniqueIdField: string | null,
  entry: Pick<JournalEntry, 'requestId' | 'operation'>,
): Promise<Addition> =>
  dataset.write(async (connection) => {
    const facts = await readFacts(connection);
    if (facts.locked) throw new HttpError(409, 'Project transaction lock is held');
    const idField = facts.idField ?? uniqueIdField ?? AUTO_ID;
    checkShardNames(shard, idField);
    const sent = new Map(shard.columns.map((each) => [each.column.name, each]));
    const automatic = uniqueIdField === null && !sent.has(idField);
    if (!automatic && !sent.has(idField)) throw invalid(idField, 'the unique id column of the dataset is missing in the shard');

    const idColumn: Column = { name: idField, type: 'string', dimensions: null };
    const first = facts.columns.length === 0;
    const columns: Column[] = first
      ? [...(automatic ? [idColumn] : []), ...shard.columns.map(({ column }) => (column.name === idField ? idColumn : column))]
      : facts.columns;
    const missing = columns.filter(({ name }) => !sent.has(name) && !(automatic && name === idField));
    if (missing.length > 0)
      throw invalid(missing[0]!.name, `column missing: the first upload fixed the columns ${columns.map(({ name }) => name).join(', ')}`);
    for (const { name, type, dimensions } of columns) {
      const other = sent.get(name)?.column;
      if (other && (type === 'vector') !== (other.type === 'vector'))
        throw invalid(name, `is ${type} in the dataset and ${other.type} in the shard`);
      if (other && type === 'vector' && other.dimensions !== dimensions)
        throw invalid(name, `vectors have ${dimensions} numbers in the dataset and ${other.dimensions} in the shard`);
    }

    const ids = automatic
      ? Array.from({ length: shard.rows }, (_, row) => autoId(facts.rows + row))
      : idsOf(idField, sent.get(idField)!.vector, shard.rows);
    const known = first || automatic ? new Set<string>() : await knownIds(connection, idField, ids);
    if (known.size > 0 && !shard.ignoreConflicts)
      throw new HttpError(
        409,
        `Insert failed due to ID conflict: ${known.size} ids are in the dataset, e.g. ${[...known].slice(0, 3).join(', ')}`,
      );
    const fresh = ids.flatMap((id, row) => (known.has(id) ? [] : [row]));

    if (first) await createRows(connection, columns, idField);
    const checkpoint = facts.checkpoint + (fresh.length > 0 ? 1 : 0);
    const addedAt = fresh.length > 0 ? now() / 1_000 : facts.addedAt;
    if (fresh.length > 0) {
      const data = columns.map((column) => {
        const values: Values = column.name === idField ? ids : valuesOf(column, sent.get(column.name)!.vector, shard.rows);
        return dataOf(column, fresh.length === shard.rows ? values : pick(column, values, fresh));
      });
      await appendColumns(
        connection,
        'data',
        [{ kind: 'bigint', values: Array.from(fresh, (_, at) => facts.rows + at) }, ...data],
        fresh.length,
      );
      await connection.run('UPDATE state SET rows = ?, checkpoint = ?, added_at = ?', [facts.rows + fresh.length, checkpoint, addedAt]);
    }
    await writeJournal(
      connection,
      { ...entry, subject: `dataset/${shard.projectId}`, content: { project: shard.projectId, ids: hashOfIds(ids) } },
      fresh.length,
    );
    return { added: fresh.length, checkpoint, addedAt };
  });

/** Rows of a dataset in the order of their ids' list; ids that are not there are absent. */
export const rowsById = (
  connection: DuckDBConnection,
  idField: string,
  columns: string,
  ids: readonly string[],
): Promise<Record<string, unknown>[]> =>
  select(connection, `SELECT ${columns} FROM data WHERE ${quoted(idField)} IN (SELECT unnest(from_json(?, '["VARCHAR"]')))`, [
    JSON.stringify(ids),
  ]);
