import type { DuckDBInstance } from '@duckdb/node-api';
import type { Field } from 'parquetjs-lite';
import { encodingOf, pagesOf, type ColumnValues } from './parquet-page.ts';
import { writeWhole } from '../files/whole-file.ts';

/** Columns of the run store's files. */
export type Columns = Readonly<Record<string, Field>>;

/** Writes rows as one Parquet file, whole. */
export const writeParquet = (path: string, columns: Columns, rows: readonly Record<string, unknown>[]): Promise<void> => {
  const values = Object.keys(columns).map((name) => [name, rows.map((row) => row[name] as string | number | null | undefined)] as const);
  return writeGroups(path, columns, [{ rows: rows.length, values: Object.fromEntries(values) }]);
};

/** Rows by column. */
export type RowGroup = { rows: number; values: Readonly<Record<string, ColumnValues>> };

/** Writes groups of rows as one Parquet file, whole: a row group each, one page a column. No more than one of them is held. */
export const writeGroups = (path: string, columns: Columns, groups: Groups): Promise<void> => writeWhole(path, partsOf(columns, groups));

type Groups = Iterable<RowGroup> | AsyncIterable<RowGroup>;

/**
 * The bytes of such a file, part by part. parquetjs-lite writes the file around the pages; fed with rows it takes twelve times as long
 * (5,000 rows: 44 ms against 3 ms).
 */
async function* partsOf(columns: Columns, groups: Groups): AsyncGenerator<Buffer, void, undefined> {
  const { ParquetSchema, ParquetEnvelopeWriter } = (await loadWriter()).default;
  const fields = Object.entries(columns);
  const schema = new ParquetSchema(Object.fromEntries(fields.map(([name, field]) => [name, { ...field, statistics: false as const }])));
  const parts: Buffer[] = [];
  const sink = {
    write: (part: Buffer, done: () => void): void => (parts.push(part), done()),
    end: (done: () => void): void => done(),
  };
  const writer = await ParquetEnvelopeWriter.openStream(schema, sink, { useDataPageV2: false, pageIndex: false });
  await writer.writeHeader();
  for await (const { rows, values } of groups) {
    if (rows === 0) continue;
    const pages = fields.map(([name, field]) => ({ name, ...pagesOf(name, field, values[name]!, rows) }));
    const own = pages.map(({ name, dictionary, data }) => {
      const page = dictionary ? Buffer.concat([dictionary, data]) : data;
      return { name, pages: [{ page, num_values: rows, first_row_index: 0 }] };
    });
    await writer.writeRowGroup({ rowCount: rows, pages: Object.fromEntries(own.map((column) => [column.name, column.pages])) });
    pages.forEach(({ dictionary }, at) => {
      const { meta_data } = writer.rowGroups.at(-1)!.columns[at]!;
      if (!dictionary) return;
      meta_data.dictionary_page_offset = meta_data.data_page_offset;
      meta_data.data_page_offset += dictionary.length;
      meta_data.encodings.push(encodingOf('PLAIN_DICTIONARY'));
    });
    yield* parts.splice(0);
  }
  await writer.writeFooter({});
  yield* parts;
}

// Both libraries are loaded when they are needed: the command line knows the store without reading it.
const loadWriter = () => import('parquetjs-lite');

let instance: Promise<DuckDBInstance> | undefined;
const database = (): Promise<DuckDBInstance> =>
  (instance ??= import('../files/open-duckdb.ts')
    .then(({ openDuckDb }) => openDuckDb(':memory:', { threads: '1', memory_limit: '256MB' }))
    .catch((error: unknown) => {
      // What the system lacked this time it may have the next time.
      instance = undefined;
      throw error;
    }));

/** Loads both libraries ahead of their first use. */
export const warmColumnar = (): Promise<unknown> => Promise.all([loadWriter(), database()]);

/** Runs a query over files of the run store. They are our own, so they are read in this process. */
export async function queryFiles<T>(sql: string, params: (string | number)[] = []): Promise<T[]> {
  const connection = await (await database()).connect();
  try {
    const reader = await connection.runAndReadAll(sql, params);
    return reader.getRowObjectsJson() as T[];
  } finally {
    connection.closeSync();
  }
}

/** Looks at a part that is replaced again and again: each is a few milliseconds, and a part that is damaged fails all of them. */
const mostLooks = 10;

/**
 * The same over parts that a run under way may replace: the engine opens a part more than once, and what it reads of two of them is no
 * file. Then it looks again.
 */
export async function queryReplaced<T>(sql: string, params: (string | number)[] = []): Promise<T[]> {
  for (let looks = 1; ; looks++)
    try {
      return await queryFiles<T>(sql, params);
    } catch (error) {
      if (looks === mostLooks || !/^(?:Invalid|IO) /.test((error as Error).message)) throw error;
    }
}

/** As `queryFiles`, for results of any length: some thousand rows at a time, and no more of them in memory. */
export async function* streamFiles<T>(sql: string, params: (string | number)[] = []): AsyncGenerator<T[], void, undefined> {
  const connection = await (await database()).connect();
  try {
    const result = await connection.stream(sql, params);
    for await (const rows of result.yieldRowObjectJson()) yield rows as T[];
  } finally {
    connection.closeSync();
  }
}
