import { join } from 'node:path';
import { namesIn } from './names-in.ts';
import { filesLiteral, literal } from '../text/sql.ts';
import { queryFiles, writeGroups } from './columnar.ts';

export type TagOperation = 'add' | 'remove';

/** Ids of points as one Parquet file. */
export const writeIdPart = (path: string, ids: readonly string[]): Promise<void> =>
  writeGroups(path, { id: { type: 'UTF8' } }, [{ rows: ids.length, values: { id: ids } }]);

/** The files of a folder of ids; of one that is not there none. */
export const partsOf = async (folder: string): Promise<string[]> =>
  (await namesIn(folder)).filter((name) => /^\d+\.parquet$/.test(name)).map((part) => join(folder, part));

/** SQL: the ids of these files. */
export const readAll = (files: readonly string[]): string =>
  files.length === 0 ? "(select '' as id where false)" : `read_parquet([${files.map((file) => filesLiteral(file)).join(', ')}])`;

/** SQL: changes of a tag; of two at one point the one with the greater number came later. */
export const changesIn = ({ number, operation }: { number: number; operation: TagOperation }, files: readonly string[]): string[] =>
  files.length === 0 ? [] : [`select id, ${number}::double as entry, ${literal(operation)} as operation from ${readAll(files)}`];

/** How often a query goes over its rows, some of their ids each time. */
export async function passesOver(source: string, perPass: number): Promise<number> {
  const [counted] = await queryFiles<{ rows: number }>(`select count(*)::double as rows from ${source}`);
  return Math.max(1, Math.ceil(counted!.rows / perPass));
}
