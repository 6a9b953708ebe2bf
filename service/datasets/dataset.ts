import { DuckDBInstance } from '@duckdb/node-api';
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { now } from '../clock.ts';
import { journalRow } from '../journal.ts';
import type { JournalEntry, JournalRow } from '../journal.ts';
import { TABLES, isBuilding } from './schema.ts';
import type { Column, IndexRow } from './schema.ts';

/** What is known of a dataset without reading its rows. */
export type Facts = {
  rows: number;
  checkpoint: number;
  /** Epoch seconds of the last addition. */
  addedAt: number | null;
  idField: string | null;
  columns: Column[];
  indices: IndexRow[];
  /** An index is being built: no upload meanwhile. */
  locked: boolean;
};

export type Dataset = {
  facts(): Promise<Facts>;
  /** A connection of its own for reads; several run side by side. */
  read<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  /** One transaction; transactions of a dataset run one after the other, so that a conflict never leaves it. */
  write<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  journal(): Promise<JournalRow[]>;
  /** Waits for what is under way. */
  close(): Promise<void>;
};

/** Rows of a statement as plain objects; 64-bit integers as numbers. */
export const select = async <T>(connection: DuckDBConnection, sql: string, values: DuckDBValue[] = []): Promise<T[]> => {
  const reader = await connection.runAndReadAll(sql, values);
  const names = reader.deduplicatedColumnNames();
  return reader
    .getRows()
    .map((row) => Object.fromEntries(row.map((value, at) => [names[at]!, typeof value === 'bigint' ? Number(value) : value])) as T);
};

/** Writes a journal row in the transaction that is open on the connection. */
export const writeJournal = async (connection: DuckDBConnection, entry: JournalEntry, changed: number): Promise<void> => {
  const row = journalRow(entry, now(), changed);
  await connection.run('INSERT INTO journal SELECT coalesce(max(seq), 0) + 1, ?, ?, ?, ?, ?, ?, ? FROM journal', [
    row.at,
    row.request_id,
    row.operation,
    row.subject,
    row.act,
    row.intent,
    row.changed,
  ]);
};

/** Facts as the open transaction of a connection sees them. */
export const readFacts = async (connection: DuckDBConnection): Promise<Facts> => {
  const [state] = await select<{ rows: number; checkpoint: number; added_at: number | null; id_field: string | null }>(
    connection,
    'FROM state',
  );
  const columns = await select<Column>(connection, 'SELECT name, type, dimensions FROM columns ORDER BY position');
  const indices = await select<IndexRow>(connection, 'FROM indices ORDER BY created_at, index_id');
  return {
    rows: state!.rows,
    checkpoint: state!.checkpoint,
    addedAt: state!.added_at,
    idField: state!.id_field,
    columns,
    indices,
    locked: indices.some(isBuilding),
  };
};

/** Opens the file of one dataset; creates it where it is new. `memoryLimit` as DuckDB reads it, e.g. `512MB`. */
export const openDataset = async (file: string, memoryLimit: string): Promise<Dataset> => {
  const instance = await DuckDBInstance.create(file, {
    threads: '2',
    memory_limit: memoryLimit,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    checkpoint_threshold: '64MB',
  });
  const writer = await instance.connect();
  try {
    await writer.run(TABLES);
  } catch (error) {
    writer.closeSync();
    instance.closeSync();
    throw error;
  }

  let tail: Promise<unknown> = Promise.resolve();
  let facts: Promise<Facts> | undefined;
  const reads = new Set<Promise<unknown>>();

  const read: Dataset['read'] = (work) => {
    const reading = (async () => {
      const connection = await instance.connect();
      try {
        return await work(connection);
      } finally {
        connection.closeSync();
      }
    })();
    const settled = reading.catch(() => undefined).finally(() => reads.delete(settled));
    reads.add(settled);
    return reading;
  };

  const write: Dataset['write'] = (work) => {
    const writing = tail.then(async () => {
      await writer.run('BEGIN TRANSACTION');
      try {
        const value = await work(writer);
        await writer.run('COMMIT');
        return value;
      } catch (error) {
        await writer.run('ROLLBACK').catch(() => undefined);
        throw error;
      } finally {
        facts = undefined;
      }
    });
    tail = writing.catch(() => undefined);
    return writing;
  };

  return {
    facts() {
      const reading = (facts ??= read(readFacts));
      reading.catch(() => (facts = undefined));
      return reading;
    },
    read,
    write,
    journal: () => read((connection) => select<JournalRow>(connection, 'FROM journal ORDER BY seq')),
    async close() {
      await tail;
      await Promise.all(reads);
      writer.closeSync();
      instance.closeSync();
    },
  };
};
