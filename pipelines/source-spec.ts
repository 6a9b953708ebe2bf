/** How a CSV file is written, where that cannot be seen from the file; the formats are those of strptime. */
export type CsvOptions = {
  delimiter?: string | undefined;
  quote?: string | undefined;
  escape?: string | undefined;
  header?: boolean | undefined;
  dateFormat?: string | undefined;
  timestampFormat?: string | undefined;
};

/** A path or glob; of CSV files also how they are written. */
export type FileSpec = string | { path: string; csv: CsvOptions };

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
};

/** A source as inspected: where it is, what it holds. `sha256` is the fingerprint of its bytes. */
export type SourceFacts = { path: string; rows: number; bytes: number; sha256: string; columns: { name: string; type: string }[] };
