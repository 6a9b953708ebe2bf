import type { DuckDBConnection } from '@duckdb/node-api';
import { journalRow, type JournalEntry } from '../../core/journal.ts';
import { select, writeJournal } from './dataset.ts';
import { run } from './statements.ts';

/** What an addition did: rows sent, rows added, and the places of the added ones in the data. */
export type AddedRows = { sent: number; added: number; from: number; to: number };

/**
 * Writes the journal row of an addition in the open transaction, with its surplus: the rows of this content that stand in the data
 * beyond those that were sent. They are counted, because no other act says which rows it took: a deletion of others undoes nothing.
 */
export const journalAddition = async (
  connection: DuckDBConnection,
  entry: JournalEntry,
  { sent, added, from, to }: AddedRows,
): Promise<void> => {
  await writeJournal(connection, entry, added);
  if (added === 0) return;
  const { intent } = journalRow(entry, 0, added);
  const [before] = await select<{ count: number }>(connection, 'SELECT count(*) AS count FROM additions WHERE intent = ?', [intent]);
  const surplus = before!.count === 0 ? 0 : (await standing(connection, intent)) + added - sent;
  await run(connection, 'INSERT INTO additions SELECT max(seq), ?, ?, ?, ? FROM journal', [intent, from, to, Math.max(0, surplus)]);
};

/** Rows that earlier additions of an intent have added and no deletion has taken, ordered or committed. */
const standing = async (connection: DuckDBConnection, intent: string): Promise<number> => {
  const [found] = await select<{ count: number }>(
    connection,
    `SELECT count(*) AS count FROM data JOIN additions ON data."_row" >= additions.first_row AND data."_row" < additions.end_row
     WHERE additions.intent = ? AND data."_row" NOT IN (SELECT "_row" FROM deleted)`,
    [intent],
  );
  return found!.count;
};
