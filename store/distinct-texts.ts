import { basename, dirname } from 'node:path';
import { filesLiteral, identifier } from '../text/sql.ts';
import { queryFiles, streamFiles } from './columnar.ts';

/** Rows of one pass: the different texts among them have room in the memory that queries over the store have. */
const rowsPerPass = 2_000_000;

/**
 * The different texts in a column of Parquet files (a path, or a glob in one folder), in batches and in the same order each time. However many rows there
 * are, the texts of one pass over the files are held.
 */
export async function* distinctTexts(
  files: string,
  column: string,
  { perPass = rowsPerPass }: { perPass?: number } = {},
): AsyncGenerator<string[], void, undefined> {
  const source = `read_parquet(${filesLiteral(dirname(files), basename(files))})`;
  const text = identifier(column);
  const [counted] = await queryFiles<{ rows: number }>(`select count(*)::double as rows from ${source}`);
  const passes = Math.ceil(counted!.rows / perPass);
  for (let pass = 0; pass < passes; pass++)
    for await (const rows of streamFiles<{ text: string }>(
      `select distinct ${text} as text from ${source} where hash(${text}) % ${passes} = ${pass} order by text`,
    ))
      yield rows.map((row) => row.text);
}
