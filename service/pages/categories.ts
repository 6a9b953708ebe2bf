import { identifier } from '../../text/sql.ts';
import type { DuckDBConnection } from '@duckdb/node-api';
import { select } from '../engine/datasets/dataset.ts';
import type { DatasetState } from '../engine/datasets/dataset.ts';
import type { StoredColumn, IndexRow } from '../engine/datasets/schema.ts';

/** More values than this have no colours that an eye can distinguish. */
const MAX_VALUES = 48;

export type Category = { name: string; values: { value: string | number | null; count: number }[] };

/** Values of a column over the rows of a map, the most frequent first: the order in which they are numbered and coloured. */
const ranked = (column: Pick<StoredColumn, 'name'>): string =>
  `SELECT ${identifier(column.name)} AS value, count(*) AS count, row_number() OVER (ORDER BY count(*) DESC, ${identifier(column.name)} NULLS LAST) - 1 AS rank
   FROM data WHERE "_row" < ? GROUP BY ${identifier(column.name)}`;

/** Columns of a map with few distinct values, and these values with their counts. */
export const categoriesOf = async (connection: DuckDBConnection, facts: DatasetState, index: IndexRow): Promise<Category[]> => {
  const candidates = facts.columns.filter(
    ({ name, type }) => (type === 'string' || type === 'int32') && name !== facts.idField && !name.startsWith('_'),
  );
  if (candidates.length === 0) return [];
  const counts = candidates.map(({ name }, at) => `approx_count_distinct(${identifier(name)}) AS c${at}`);
  const [distinct] = await select<Record<string, number>>(connection, `SELECT ${counts.join(', ')} FROM data WHERE "_row" < ?`, [
    index.next_row,
  ]);
  const categories: Category[] = [];
  for (const [at, column] of candidates.entries()) {
    // The estimate errs by some percent; the exact count below decides.
    if (distinct![`c${at}`]! > MAX_VALUES * 1.5) continue;
    const values = await select<Category['values'][number]>(
      connection,
      `SELECT value, count FROM (${ranked(column)}) ORDER BY rank LIMIT ${MAX_VALUES + 1}`,
      [index.next_row],
    );
    // Where most values occur once they name rows, not kinds of them.
    if (values.length > 1 && values.length <= Math.min(MAX_VALUES, index.rows / 2)) categories.push({ name: column.name, values });
  }
  return categories;
};

/** The number of its value (255 at most) for every row of a map. */
export const categoryNumbers = async (connection: DuckDBConnection, column: StoredColumn, index: IndexRow): Promise<Uint8Array> => {
  const result = await connection.stream(
    `WITH ranked AS (${ranked(column)}) SELECT least(ranked.rank, 255)::UTINYINT FROM data JOIN ranked ON data.${identifier(column.name)} IS NOT DISTINCT FROM ranked.value WHERE "_row" < ? ORDER BY "_row"`,
    [index.next_row, index.next_row],
  );
  const numbers = new Uint8Array(index.rows);
  let at = 0;
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    numbers.set(chunk.getColumnValues(0) as number[], at);
    at += chunk.rowCount;
  }
  return numbers;
};
