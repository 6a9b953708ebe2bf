import type { DuckDBConnection } from '@duckdb/node-api';
import { automaticIdField } from '../../../contracts/maps/unique-id.ts';
import { identifier } from '../../../text/sql.ts';
import { HttpError, invalid } from '../../core/errors.ts';
import { checkNames } from './arrow-input.ts';
import type { SentColumn, Shard } from './arrow-input.ts';
import type { DatasetState } from './dataset.ts';
import { sqlType } from './schema.ts';
import type { StoredColumn } from './schema.ts';
import { run } from './statements.ts';

const columnOf = (sent: SentColumn): StoredColumn => {
  if ('refusal' in sent) throw sent.refusal;
  return sent.column;
};

/** How rows as sent meet a dataset: its columns, and where the ids come from. */
export type Fit = {
  /** The dataset has no columns yet: these become them. */
  first: boolean;
  columns: StoredColumn[];
  idField: string;
  /** The service makes the ids. */
  automatic: boolean;
};

/** Holds rows against the columns of a dataset; 422 where they do not fit, 409 while an index is built. */
export const fitRows = (facts: DatasetState, shard: Shard, uniqueIdField: string | null): Fit => {
  if (facts.locked) throw new HttpError(409, 'Project transaction lock is held');
  const idField = facts.idField ?? uniqueIdField ?? automaticIdField;
  const first = facts.columns.length === 0;
  const known = new Set(facts.columns.map(({ name }) => name));
  const wanted = shard.columns.filter(({ name }) => first || known.has(name));
  checkNames(
    wanted.map(({ name }) => name),
    idField,
  );
  const sent = new Map(wanted.map((each) => [each.name, columnOf(each)]));
  const automatic = uniqueIdField === null && !sent.has(idField);
  if (!automatic && !sent.has(idField)) throw invalid(idField, 'the unique id column of the dataset is missing in the shard');

  const idColumn: StoredColumn = { name: idField, type: 'string', dimensions: null };
  const columns: StoredColumn[] = first
    ? [...(automatic ? [idColumn] : []), ...[...sent.values()].map((column) => (column.name === idField ? idColumn : column))]
    : facts.columns;
  const missing = columns.filter(({ name }) => !sent.has(name) && !(automatic && name === idField));
  if (missing.length > 0)
    throw invalid(missing[0]!.name, `column missing: the first upload fixed the columns ${columns.map(({ name }) => name).join(', ')}`);
  for (const { name, type, dimensions } of columns) {
    const other = sent.get(name);
    if (other && (type === 'vector') !== (other.type === 'vector'))
      throw invalid(name, `is ${type} in the dataset and ${other.type} in the shard`);
    if (other && type === 'vector' && other.dimensions !== dimensions)
      throw invalid(name, `vectors have ${dimensions} numbers in the dataset and ${other.dimensions} in the shard`);
  }
  return { first, columns, idField, automatic };
};

/** The table of the rows, when the first of them come. */
export const createRows = async (connection: DuckDBConnection, { columns, idField }: Fit): Promise<void> => {
  await connection.run(
    `CREATE TABLE data ("_row" BIGINT NOT NULL, ${columns.map((column) => `${identifier(column.name)} ${sqlType(column)}`).join(', ')})`,
  );
  for (const [position, { name, type, dimensions }] of columns.entries())
    await run(connection, 'INSERT INTO columns VALUES (?, ?, ?, ?)', [position, name, type, dimensions]);
  await run(connection, 'UPDATE state SET id_field = ?', [idField]);
};
