import type { DataColumn } from './data-column.ts';

/** Types of table files, and how they are called. */
export const fileTypeNames = {
  json: 'JSON',
  csv: 'CSV',
  parquet: 'Parquet',
  excel: 'Excel',
  'arrow-file': 'Arrow file',
  'arrow-stream': 'Arrow stream',
} as const;

export type FileType = keyof typeof fileTypeNames;

/** How a CSV file is written; a character that it has not is an empty text. */
export type CsvDialect = {
  delimiter: string;
  quote: string;
  escape: string;
  header: boolean;
  /** As DuckDB names it: `\\n` or `\\r\\n`. */
  newline: string;
  encoding: string;
  /** Lines before the header that are none of the table. */
  skip: number;
  /** Texts that stand for no value, beside the empty one. */
  nulls: string[];
  /** What stands before the decimals of a number. */
  decimal: string;
};

/** Which sheet of a workbook is read. */
export type SheetRead = {
  sheet: string;
  /** The row that names the columns; null where they have the letters of the sheet. */
  header: number | null;
  /** The other sheets. */
  others: string[];
};

/** A column that may be meant otherwise than it is read, and what to write where it is. */
export type TextHint = { column: string; message: string };

/** What the type rules of a dataset do to a column as it is. */
export type ColumnFacts = {
  name: string;
  /** In DuckDB's words. */
  type: string;
  /** Type in a dataset; null where the column as it is has no place in one. */
  as: DataColumn['type'] | null;
  /** Numbers of a vector. */
  width?: number;
  nulls: number;
  /** Values that do not fit: their rows are refused. */
  refused: number;
  /** Values that become others: rounded, cut, or the text `null`. */
  changed: number;
  /** Why the column is refused, and what to write under `columns:`. */
  problem?: string;
  /** An expression that makes it a column of a dataset. */
  remedy?: string;
  /** What the remedy makes of the first values. */
  produces?: string[];
};

/** A table as `preview` shows it. */
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
  /** Which sheets of workbooks are read, each way once, with the files that are read so. */
  sheets: (SheetRead & { files: string[] })[];
  /** Columns of CSV files and workbooks that may be meant otherwise than they are read, and what to write where they are. */
  hints: TextHint[];
  columns: ColumnFacts[];
  /** Rows that an append of all columns would refuse for a value. */
  refusedRows: number;
  /** The first rows as text, in the order of `columns`; a value is cut after 200 characters. */
  sample: (string | null)[][];
};
