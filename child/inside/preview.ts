import { sourceName } from '../../pipelines/source-name.ts';
import { columnFacts, type ColumnFacts } from './rows/column-facts.ts';
import type { CsvDialect } from './formats/csv/dialect.ts';
import type { TextHint } from './formats/texts.ts';
import { judged } from './duck-error.ts';
import type { FileType } from './formats/file-type.ts';
import type { ChildContext, Methods } from '../protocol.ts';
import { readSource, type Source } from './source.ts';
import { identifier } from '../../text/sql.ts';

export type Preview = {
  source: string;
  /** Files by table; a source that is no query has one table without a name. At most 20 names each. */
  tables: { table: string; type: FileType; files: number; names: string[] }[];
  rows: number;
  /** Bytes of all files. */
  bytes: number;
  /** How the CSV files are written, each way once, with the files that are written so. */
  dialects: (CsvDialect & { files: string[] })[];
  /** Columns of CSV files whose dates are not ISO 8601, and how they are read. */
  formats: { column: string; format: string }[];
  /** Columns of CSV files that stay text though they look like something else, and what to write where they are that. */
  hints: TextHint[];
  columns: ColumnFacts[];
  /** Rows that an append of all columns would refuse for a value. */
  refusedRows: number;
  /** The first rows as text, in the order of `columns`; a value is cut after 200 characters. */
  sample: (string | null)[][];
};

const namesShown = 20;
const longestValue = 200;

/** Dialects that are the same but for the file. */
function dialectsOf({ tables }: Source): Preview['dialects'] {
  const all = tables.flatMap(({ csv }) => csv?.dialects ?? []);
  const groups = Map.groupBy(all, (dialect) => JSON.stringify({ ...dialect, file: '' }));
  return [...groups.values()].map((members) => {
    const { file: _file, ...dialect } = members[0]!;
    return { ...dialect, files: members.map(({ file }) => file) };
  });
}

/** What a table holds, what the type rules of a dataset do to each column, and its first rows. */
export const preview = ({ source: spec, rows: wanted }: Methods['preview']['input'], context: ChildContext): Promise<Preview> =>
  readSource(spec, context, async (source) => {
    const { rows, refusedRows, columns } = await columnFacts(source);
    const texts = source.columns.map(({ name }) => `left(${identifier(name)}::varchar, ${longestValue})`);
    const sample = await judged(source.name, () =>
      source.engine.connection.runAndReadAll(`select ${texts.join(', ')} from ${source.relation} limit ${wanted}`),
    );
    return {
      source: sourceName(spec),
      tables: source.tables.map(({ table, type, files }) => ({
        table,
        type,
        files: files.length,
        names: files.slice(0, namesShown).map(({ name }) => name),
      })),
      rows,
      bytes: source.bytes,
      dialects: dialectsOf(source),
      formats: source.tables.flatMap(({ csv }) => csv?.formats ?? []).map(({ name, format = '' }) => ({ column: name, format })),
      hints: source.tables.flatMap(({ csv }) => csv?.hints ?? []),
      columns,
      refusedRows,
      sample: sample.getRows() as (string | null)[][],
    };
  });
