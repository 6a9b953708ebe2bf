import type { DuckDBConnection } from '@duckdb/node-api';
import type { ResourceKind } from '../../../contracts/maps/resources.ts';
import { identifier } from '../../../text/sql.ts';
import type { ServiceReadings } from '../../core/readings.ts';
import type { Computing } from '../compute/compute.ts';
import { appendColumns, readNumbers, readVectors, type ColumnData } from '../datasets/chunks.ts';
import { select, type Dataset, type DatasetState } from '../datasets/dataset.ts';
import type { Embedder } from '../embedding/embedder.ts';
import type { IndexIds } from '../datasets/indices.ts';
import type { StoredColumn } from '../datasets/schema.ts';
import type { Role } from './kinds.ts';
import { resourceTable, type Resource } from './store.ts';

/** What a resource is made with. */
export type Making = {
  dataset: Dataset;
  facts: DatasetState;
  resource: Resource;
  /** The nearest resource that it stands on and that gives this. */
  upstream: (...roles: Role[]) => Resource;
  /** The nearest that another one stands on, where there is one. */
  nearestOf: (from: Resource, ...roles: Role[]) => Resource | undefined;
  /** All of some kinds that it stands on, near or far. */
  standsOn: (...kinds: ResourceKind[]) => Resource[];
  /** Keeps bytes as a blob of the dataset; its hash. */
  keep: (bytes: Uint8Array) => Promise<string>;
  /** Notes an index that is about to be there, before it is: one that never comes leaves a note that means nothing. */
  claim: (ids: IndexIds) => void;
  computing: Computing;
  embedder: Embedder;
  readings: ServiceReadings;
  signal: AbortSignal;
};

/** What was made: figures for whoever reads the resource, and what is written in the transaction in which it is completed. */
export type Made = { result: Record<string, unknown>; write?: (connection: DuckDBConnection) => Promise<void> };

/** A reason for which a resource cannot be made: it is FAILED, and says so. */
export class Unmakeable extends Error {
  override readonly name = 'Unmakeable';
}

/** Why nothing is made of rows of which some were deleted since they were listed: those that are left are others, at other places. */
export const rowsWent = (held: number, listed: string, rows: number): Unmakeable =>
  new Unmakeable(`${held} rows are there, and the ${listed} has ${rows}: rows went since; ask for a new checkpoint`);

/** Columns that a checkpoint of rows has. */
export const fieldsOf = ({ result }: Resource): string[] => result!['fields'] as string[];

/** A column of the dataset that is one of the checkpoint on which a resource stands. */
export const columnOf = ({ facts, upstream }: Making, name: string): StoredColumn => {
  const fields = fieldsOf(upstream('rows'));
  const column = facts.columns.find((each) => each.name === name && fields.includes(name));
  if (!column) throw new Unmakeable(`${JSON.stringify(name)} is not a column of the checkpoint, whose columns are ${fields.join(', ')}`);
  return column;
};

type Column = { name: string; sql: string; data: ColumnData };

export const number = (name: string, values: Float32Array): Column => ({ name, sql: 'FLOAT', data: { kind: 'float', values } });
export const whole = (name: string, values: Int32Array): Column => ({ name, sql: 'INTEGER', data: { kind: 'integer', values } });
export const text = (name: string, values: readonly string[]): Column => ({ name, sql: 'VARCHAR', data: { kind: 'text', values } });
export const vector = (values: Float32Array, dimensions: number): Column => ({
  name: 'vector',
  sql: `FLOAT[${dimensions}]`,
  data: { kind: 'vector', values, dimensions },
});

/** Writes columns for rows as the table of a resource. */
export const writing =
  ({ resource }: Making, rows: Uint32Array, columns: readonly Column[]) =>
  async (connection: DuckDBConnection): Promise<void> => {
    const defined = columns.map(({ name, sql }) => `, ${identifier(name)} ${sql} NOT NULL`).join('');
    await connection.run(`CREATE OR REPLACE TABLE ${resourceTable(resource.id)} ("_row" BIGINT NOT NULL${defined})`);
    const data = [{ kind: 'bigint' as const, values: rows }, ...columns.map((column) => column.data)];
    await appendColumns(connection, `resource ${resource.id}`, data, rows.length);
  };

export const rowsOf = ({ dataset }: Making, { id }: Resource): Promise<Uint32Array> =>
  dataset.read((connection) => readNumbers(connection, `SELECT "_row"::UINTEGER FROM ${resourceTable(id)} ORDER BY "_row"`));

export type Numbered = { rows: Uint32Array; values: Float32Array; dims: number };

/** The vectors of a resource that gives them; of one that gives places its numbers. */
export const vectorsOf = async (making: Making, resource: Resource): Promise<Numbered> => {
  const dims = resource.result!['dimensions'] as number;
  const columns = resource.result!['columns'] as string[] | undefined;
  const value = columns ? `[${columns.map((name) => identifier(name)).join(', ')}]::FLOAT[${dims}]` : 'vector';
  const rows = await rowsOf(making, resource);
  const values = await making.dataset.read((connection) =>
    readVectors(connection, `SELECT ${value} FROM ${resourceTable(resource.id)} ORDER BY "_row"`),
  );
  return { rows, values, dims };
};

/** Group columns of a resource that gives them, the coarsest first, and the number of each row in the finest. */
export const groupColumns = ({ result }: Resource): string[] => result!['columns'] as string[];

export const countsOf = (making: Making, { id }: Resource, column: string): Promise<{ topic: number; points: number }[]> =>
  making.dataset.read((connection) =>
    select(connection, `SELECT ${identifier(column)} AS topic, count(*) AS points FROM ${resourceTable(id)} GROUP BY 1 ORDER BY 1`),
  );

/** Fails where so many points are more than an algorithm that compares all pairs can do. */
export const atMost = (most: number, { rows }: Pick<Numbered, 'rows'>): void => {
  if (rows.length > most)
    throw new Unmakeable(`compares every point with every other, ${most} at most, and there are ${rows.length}: narrow the checkpoint`);
};
