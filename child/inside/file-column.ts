import { BadInput } from '../../errors/classes.ts';
import { identifier, literal } from '../../text/sql.ts';

/** What a reader of several files calls the number of a row's file, beside the columns of the files. */
const ordinal = 'file_index';

/** SQL that reads what `reader` does, with a column that names each row's file; without a name for it, the reader as it is. */
export function withFileColumn(reader: string, files: readonly { name: string }[], column: string | undefined): string {
  if (column === undefined) return reader;
  const names = `[${files.map(({ name }) => literal(name)).join(', ')}]`;
  return `(select *, ${names}[${ordinal}::bigint + 1] as ${identifier(column)} from ${reader})`;
}

/** Refuses a column for the file's name that the files have already, or beside which the reader's number is not seen. */
export function checkFileColumn(columns: readonly { name: string }[], column: string | undefined): void {
  if (column === undefined) return;
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  if (names.has(column.toLowerCase())) throw new BadInput('bad_input', `has a column '${column}' of its own; say another fileColumn`);
  if (names.has(ordinal))
    throw new BadInput('bad_input', `has a column '${ordinal}', beside which fileColumn is not supported; take it away`);
}
