/** A SQL string literal. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A SQL identifier, exact to the letter. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
