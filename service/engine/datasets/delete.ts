import type { DuckDBConnection } from '@duckdb/node-api';
import { isoTime, now } from '../../core/clock.ts';
import { HttpError } from '../../core/errors.ts';
import { hashOfIds } from '../../core/journal.ts';
import type { JournalEntry } from '../../core/journal.ts';
import { readFacts, select, writeJournal } from './dataset.ts';
import type { Dataset } from './dataset.ts';
import { locateForWrite } from './ids.ts';
import { duplicatesTable, positionsTable, tablesOf, vectorsTable } from './schema.ts';
import { run } from './statements.ts';

/**
 * Marks rows for deletion; unknown ids are ignored. Assumptions where the text says only that state does not reflect it until an
 * index update: counts, reads, selections and maps stay as they were until the next index is built or updated;
 * `moves`: the time of the last change moves at once (assumption `deletion-version`). 409 while an index is built. Returns how many rows were newly marked.
 */
export const deleteRows = (
  dataset: Dataset,
  projectId: string,
  ids: readonly string[],
  moves: boolean,
  entry: Pick<JournalEntry, 'requestId' | 'operation'>,
): Promise<number> =>
  dataset.write(async (connection) => {
    const facts = await readFacts(connection);
    if (facts.locked) throw new HttpError(409, 'Project transaction lock is held');
    const asked = [...new Set(ids)];
    const { latest } = await locateForWrite(dataset, connection, facts.columns.length === 0 ? null : facts.idField, asked);
    const rows = [...latest.values()].filter(({ pending }) => !pending).map(({ row }) => row);
    if (rows.length > 0) {
      await run(connection, `INSERT INTO deleted SELECT unnest(from_json(CAST(? AS VARCHAR), '["BIGINT"]')), false`, [
        JSON.stringify(rows),
      ]);
      await run(connection, 'UPDATE state SET checkpoint = checkpoint + 1, added_at = CASE WHEN ? THEN ? ELSE added_at END', [
        moves,
        now() / 1_000,
      ]);
    }
    await writeJournal(
      connection,
      { ...entry, subject: `dataset/${projectId}`, act: 'remove', content: { project: projectId, ids: hashOfIds(asked) } },
      rows.length,
    );
    return rows.length;
  });

/**
 * Takes the rows that wait for it out of the data, of every map and of every tag, in the open transaction; returns how
 * many. A map that holds all that is left is then up to date. `moves`: the time of the last change moves now.
 */
export const commitDeletions = async (connection: DuckDBConnection, moves: boolean): Promise<number> => {
  const changedAt = now() / 1_000;
  const [pending] = await select<{ count: number }>(connection, 'SELECT count(*) AS count FROM deleted');
  if (pending!.count === 0) return 0;
  const { indices } = await readFacts(connection);
  const tables = await select<{ name: string }>(connection, 'SELECT table_name AS name FROM duckdb_tables()');
  const made = new Set(tables.map(({ name }) => JSON.stringify(name)));
  const holders = indices.flatMap(({ index_id }) => tablesOf(index_id)).filter((table) => made.has(table));
  for (const table of [...holders, 'tagged', 'data'])
    await run(connection, `DELETE FROM ${table} WHERE "_row" IN (SELECT "_row" FROM deleted)`);
  // Of each group of duplicates that is left one is kept: the first, or the only one.
  for (const table of indices.map(({ index_id }) => duplicatesTable(index_id)).filter((each) => made.has(each)))
    await run(
      connection,
      `UPDATE ${table} AS one SET "_duplicate_class_0" = CASE WHEN groups.points = 1 THEN 'singleton' ELSE 'retention candidate' END
       FROM (SELECT min("_row") AS first, count(*) AS points FROM ${table} GROUP BY "_cluster_0") AS groups WHERE one."_row" = groups.first`,
    );
  // The number of a point in its tile is its row in the file of the tile.
  for (const table of indices.map(({ index_id }) => positionsTable(index_id)).filter((each) => made.has(each)))
    await run(
      connection,
      `UPDATE ${table} AS place SET rix = dense.rix FROM (SELECT "_row", (row_number() OVER (PARTITION BY tix ORDER BY rix) - 1)::UINTEGER AS rix FROM ${table}) AS dense
       WHERE place."_row" = dense."_row" AND place.rix <> dense.rix`,
    );
  // Which of the rows that are gone had a vector only the vectors say: a build that failed has some of them.
  for (const { index_id } of indices.filter((each) => made.has(vectorsTable(each.index_id))))
    await run(connection, `UPDATE indices SET embedded = (SELECT count(*) FROM ${vectorsTable(index_id)}) WHERE index_id = ?`, [index_id]);
  await run(connection, `UPDATE indices SET rows = rows - (SELECT count(*) FROM deleted WHERE "_row" < indices.next_row)`);
  await run(
    connection,
    `UPDATE indices SET ended_at = CASE WHEN stage = 'Completed' AND next_row = (SELECT next_row FROM state) THEN ? ELSE ended_at END`,
    [isoTime()],
  );
  if (moves) await run(connection, 'UPDATE state SET added_at = ?', [changedAt]);
  await run(connection, 'DELETE FROM deleted');
  await run(connection, 'UPDATE state SET rows = (SELECT count(*) FROM data)');
  return pending!.count;
};
