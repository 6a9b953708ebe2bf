import { rename, rm, stat } from 'node:fs/promises';
import { DuckDBArrayValue } from '@duckdb/node-api';
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { openDuckDb } from '../../../files/open-duckdb.ts';
import { now } from '../../core/clock.ts';
import { journalPlaces, journalValues } from '../../core/journal.ts';
import type { JournalEntry, JournalRow } from '../../core/journal.ts';
import { createIdIndex } from './id-index.ts';
import type { IdIndex } from './id-index.ts';
import { TABLES, isBuilding } from './schema.ts';
import type { StoredColumn, IndexRow, Labelled } from './schema.ts';
import { run } from './statements.ts';

/** What is known of a dataset without reading its rows. */
export type DatasetState = {
  /** Rows that reads show: one for each id. */
  rows: number;
  /** `_row` of the next addition. */
  nextRow: number;
  checkpoint: number;
  /** Epoch seconds of the last addition. */
  addedAt: number | null;
  idField: string | null;
  columns: StoredColumn[];
  indices: IndexRow[];
  labelled: readonly Labelled[];
  /** An index is being built: no upload meanwhile. */
  locked: boolean;
};

export type Dataset = {
  readonly ids: IdIndex;
  facts(): Promise<DatasetState>;
  /**
   * A connection of its own for reads, which see one state; several run side by side. In one transaction, because a statement
   * is otherwise prepared in one and executed in the next, and between the two another may commit a text longer than any that
   * the plan was made for: the engine cuts it (seen: "BUILDIN"). `factsHere` gives the facts of the state that the
   * read sees, where `facts` may give those of another. What is handed over ends with the read: a stream that is consumed after it
   * is empty, or of another state.
   */
  read<T>(work: (connection: DuckDBConnection, factsHere: () => Promise<DatasetState>) => Promise<T>): Promise<T>;
  /** One transaction; transactions of a dataset run one after the other, so that a conflict never leaves it. */
  write<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  /** Within a write, what `facts` will be once it is committed; without it they are read again. */
  expect(facts: DatasetState): void;
  journal(): Promise<JournalRow[]>;
  /** Waits for what is under way. */
  close(): Promise<void>;
};

/** Read connections that are kept when nobody reads. */
const IDLE = 4;

const plain = (value: DuckDBValue): unknown =>
  typeof value === 'bigint' ? Number(value) : value instanceof DuckDBArrayValue ? value.items : value;

/** Rows of a statement as plain objects; 64-bit integers as numbers, vectors as lists. */
export const select = async <T>(connection: DuckDBConnection, sql: string, values: DuckDBValue[] = []): Promise<T[]> => {
  const result = await run(connection, sql, values);
  const names = result.deduplicatedColumnNames();
  return (await result.getRows()).map((row) => Object.fromEntries(row.map((value, at) => [names[at]!, plain(value)])) as T);
};

/** Writes a journal row in the transaction that is open on the connection. */
export const writeJournal = async (connection: DuckDBConnection, entry: JournalEntry, changed: number): Promise<void> => {
  const insert = `INSERT INTO journal SELECT coalesce(max(seq), 0) + 1, ${journalPlaces} FROM journal`;
  await run(connection, insert, journalValues(entry, now(), changed));
};

/** Facts as the open transaction of a connection sees them. */
export const readFacts = async (connection: DuckDBConnection): Promise<DatasetState> => {
  const [state] = await select<{ rows: number; next_row: number; checkpoint: number; added_at: number | null; id_field: string | null }>(
    connection,
    'FROM state',
  );
  const columns = await select<StoredColumn>(connection, 'SELECT name, type, dimensions FROM columns ORDER BY position');
  const indices = await select<IndexRow>(connection, 'FROM indices ORDER BY created_at, index_id');
  return {
    rows: state!.rows,
    nextRow: state!.next_row,
    checkpoint: state!.checkpoint,
    addedAt: state!.added_at,
    idField: state!.id_field,
    columns,
    indices,
    labelled: await select<Labelled>(connection, 'FROM labelled'),
    locked: indices.some(isBuilding),
  };
};

/** Bytes of the headers of a DuckDB file: one with fewer has never held anything. */
const headerBytes = 3 * 4_096;

/**
 * Makes the file of a new dataset beside its place and moves it there. DuckDB writes the headers piece by piece, and a
 * file whose creation a kill has cut short could never be opened again.
 */
const createFile = async (file: string): Promise<void> => {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (size >= headerBytes) return;
  const beside = `${file}.new`;
  await rm(beside, { force: true });
  (await openDuckDb(beside)).closeSync();
  await rename(beside, file);
};

/** Opens the file of one dataset; creates it where it is new. `memoryLimit` as DuckDB reads it, e.g. `512MB`. */
export const openDataset = async (file: string, memoryLimit: string): Promise<Dataset> => {
  await createFile(file);
  const instance = await openDuckDb(file, {
    threads: '2',
    memory_limit: memoryLimit,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    checkpoint_threshold: '64MB',
  });
  const writer = await instance.connect();
  try {
    // One commit instead of one for each statement, of which every one is synced to disk.
    await writer.run(`BEGIN TRANSACTION; ${TABLES} COMMIT;`);
  } catch (error) {
    writer.closeSync();
    instance.closeSync();
    throw error;
  }

  let tail: Promise<unknown> = Promise.resolve();
  let expected: DatasetState | undefined;
  /**
   * The stretch since the last commit, with the facts where they are known; every commit ends one and begins another. None
   * while a commit has begun and has not been heard of: reads see either state, whichever of the two threads ends first.
   */
  let stretch: { facts?: Promise<DatasetState> | undefined } | undefined = {};
  const reads = new Set<Promise<unknown>>();
  /** Connections of former reads, kept because opening one takes time. */
  const idle: DuckDBConnection[] = [];

  /** Facts as the open transaction of a connection sees them, which was begun in the stretch `since`. */
  const factsSince = async (connection: DuckDBConnection, since: typeof stretch): Promise<DatasetState> => {
    // The engine takes the state that a transaction sees at its first statement, not where it begins.
    await connection.run('FROM state');
    const known = await since?.facts;
    // Looked at last: known facts that were still being read are of this state only if no commit has begun until they were.
    if (known && since === stretch) return known;
    const read = await readFacts(connection);
    if (since && since === stretch) since.facts = Promise.resolve(read);
    return read;
  };

  const read: Dataset['read'] = (work) => {
    const reading = (async () => {
      const connection = idle.pop() ?? (await instance.connect());
      const since = stretch;
      let value: Awaited<ReturnType<typeof work>>;
      try {
        await connection.run('BEGIN TRANSACTION READ ONLY');
        value = await work(connection, () => factsSince(connection, since));
        await connection.run('COMMIT');
      } catch (error) {
        connection.closeSync();
        throw error;
      }
      if (idle.length < IDLE) idle.push(connection);
      else connection.closeSync();
      return value;
    })();
    const settled = reading.catch(() => undefined).finally(() => reads.delete(settled));
    reads.add(settled);
    return reading;
  };

  const write: Dataset['write'] = (work) => {
    const writing = tail.then(async () => {
      await writer.run('BEGIN TRANSACTION');
      let committed: Promise<DatasetState> | undefined;
      try {
        const value = await work(writer);
        stretch = undefined;
        await writer.run('COMMIT');
        committed = expected && Promise.resolve(expected);
        return value;
      } catch (error) {
        await writer.run('ROLLBACK').catch(() => undefined);
        throw error;
      } finally {
        expected = undefined;
        stretch = { facts: committed };
      }
    });
    tail = writing.catch(() => undefined);
    return writing;
  };

  return {
    ids: createIdIndex(),
    facts() {
      if (!stretch) return read(readFacts);
      const here = stretch;
      const reading = (here.facts ??= read(readFacts));
      reading.catch(() => (here.facts = undefined));
      return reading;
    },
    expect: (next) => void (expected = next),
    read,
    write,
    journal: () =>
      read((connection) =>
        select<JournalRow>(connection, 'SELECT journal.*, surplus FROM journal LEFT JOIN additions USING (seq) ORDER BY seq'),
      ),
    async close() {
      await tail;
      await Promise.all(reads);
      for (const connection of idle.splice(0)) connection.closeSync();
      writer.closeSync();
      instance.closeSync();
    },
  };
};
