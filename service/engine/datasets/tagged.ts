import type { DuckDBConnection } from '@duckdb/node-api';
import { readNumbers } from './chunks.ts';
import { listOfRows } from './ids.ts';
import { run } from './statements.ts';

/** Adds a tag to rows or removes it, in the open transaction; returns how many it changed. */
export const changeTag = async (
  connection: DuckDBConnection,
  tagId: string,
  rows: readonly number[],
  operation: 'add' | 'remove',
): Promise<number> => {
  if (rows.length === 0) return 0;
  const [from, to] = rows.reduce(([least, most], row) => [Math.min(least, row), Math.max(most, row)], [Infinity, -1]);
  // The bounds let DuckDB skip the tagged rows of other parts of the map.
  const which = `tag_id = ? AND "_row" BETWEEN ? AND ? AND "_row" IN ${listOfRows}`;
  const having = new Set(
    await readNumbers(connection, `SELECT "_row"::UINTEGER FROM tagged WHERE ${which}`, [tagId, from, to, JSON.stringify(rows)]),
  );
  if (operation === 'remove') {
    if (having.size > 0) await run(connection, `DELETE FROM tagged WHERE ${which}`, [tagId, from, to, JSON.stringify([...having])]);
    return having.size;
  }
  const fresh = rows.filter((row) => !having.has(row));
  if (fresh.length > 0)
    await run(connection, `INSERT INTO tagged SELECT ?, unnest(from_json(CAST(? AS VARCHAR), '["BIGINT"]'))`, [
      tagId,
      JSON.stringify(fresh),
    ]);
  return fresh.length;
};
