/** What a column of texts may be said to hold; the names are those that `preview` shows. */
export const textTypeNames = ['VARCHAR', 'BOOLEAN', 'BIGINT', 'DOUBLE', 'DATE', 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE'] as const;

export type TextTypeName = (typeof textTypeNames)[number];

/** Encodings of text files that are not UTF-8, by the names of the web's Encoding Standard. */
export const encodings = ['windows-1252', 'iso-8859-2', 'iso-8859-15', 'windows-1250', 'windows-1251', 'utf-16le', 'utf-16be'] as const;

/** How a CSV file is written, where that cannot be seen from the file; the formats are those of strptime. */
export type CsvOptions = {
  delimiter?: string | undefined;
  quote?: string | undefined;
  escape?: string | undefined;
  header?: boolean | undefined;
  skip?: number | undefined;
  encoding?: (typeof encodings)[number] | undefined;
  nulls?: string[] | undefined;
  decimal?: '.' | ',' | undefined;
  types?: { [column: string]: TextTypeName } | undefined;
  dateFormat?: string | undefined;
  timestampFormat?: string | undefined;
};

/** Which part of an Excel workbook is the table, where that cannot be seen from it. */
export type ExcelOptions = {
  sheet?: string | undefined;
  skip?: number | undefined;
  header?: boolean | undefined;
  nulls?: string[] | undefined;
};

/** How files are read, where that cannot be seen from them; `fileColumn` is a further column with the name of each row's file. */
export type FileOptions = { csv?: CsvOptions | undefined; excel?: ExcelOptions | undefined; fileColumn?: string | undefined };

/** Formats by which a file from elsewhere is read where its address does not end in one. */
export const formats = ['json', 'csv', 'parquet', 'arrow', 'excel'] as const;

/** A header of a request: its text, or a secret of the configuration by name, behind a scheme such as `Bearer`. */
export type HeaderValue = string | { secret: string; scheme?: string | undefined };

/** A file that a web server has. */
export type HttpFile = {
  http: string;
  headers?: { [name: string]: HeaderValue } | undefined;
  format?: (typeof formats)[number] | undefined;
};

/** An object of S3-compatible storage, or a pattern of such; `storage`: its name in the configuration, where several are there. */
export type S3File = { s3: string; storage?: string | undefined; format?: (typeof formats)[number] | undefined };

/** The rows of a query that a PostgreSQL database answers; `postgres`: its name in the configuration. */
export type QueryFile = { postgres: string; query: string };

/** A file that is not on the worker's host: it is fetched into the run store, and read there. A text is the address alone. */
export type RemoteFile = string | ((HttpFile | S3File | QueryFile) & FileOptions);

/** A path or glob, or what is elsewhere, and how its files are read. */
export type FileSpec = string | ({ path: string } & FileOptions) | Exclude<RemoteFile, string>;

/**
 * What a step reads: files of one table, or one SELECT over such tables. In a plan every path is absolute. `sourceName`
 * gives the key under which facts and fingerprints are kept.
 */
export type SourceSpec = FileSpec | { sql: string; tables: { [table: string]: FileSpec } };

/** What a plan knows of a table whose rows a step adds. */
export type TableFacts = {
  rows: number;
  /** Bytes of its files. */
  bytes: number;
  /** Rows that no rule refuses. */
  sent: number;
  /** Additions that they make. */
  shards: number;
  /** Bytes of these rows as one Arrow file: at least and at most. */
  arrowBytes: [least: number, most: number];
  /** Where rows are read since a mark: the mark (null: there is none yet; absent: nobody knows which), and how many rows or files the whole source has. */
  since?: { from?: string | null; of: number; noun: 'row' | 'file' };
  /** Columns that are left out, for the dataset does not have them, and columns of the dataset that get no value. */
  drift?: { added: string[]; gone: string[] };
  /**
   * Of a mirror: rows that it has put there and that are gone at the source, the first ones, and a file of them all; `unseen`: nobody has
   * seen whether the dataset holds them; `refused`: why they are not deleted.
   */
  gone?: { count: number; first: string[]; unseen?: true; file?: string; refused?: string };
};

/** A source as inspected: where it is, what it holds. `sha256` is the fingerprint of its bytes. */
export type SourceFacts = { path: string; rows: number; bytes: number; sha256: string; columns: { name: string; type: string }[] };
