/** A SQL string literal. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Files for a reader of DuckDB: a path, whose signs of patterns mean themselves, and below it a pattern. */
export const filesLiteral = (path: string, ...pattern: string[]): string =>
  literal([path.replaceAll(/[*?[]/g, '[$&]'), ...pattern].join('/'));

/** A SQL identifier, exact to the letter. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
