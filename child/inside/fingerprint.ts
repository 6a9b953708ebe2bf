import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { isQuery, pathOf } from '../../pipelines/source-name.ts';
import type { SourceSpec } from '../../pipelines/source-spec.ts';
import type { SourceFile } from '../source-files.ts';

export async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/** The sha256 of one file's bytes; of several files, or of a query, that of a list of names and hashes with the query's text. */
export async function fingerprint(tables: readonly { table: string; files: SourceFile[] }[], spec: SourceSpec): Promise<string> {
  const first = tables[0]!.files;
  if (!isQuery(spec) && first.length === 1 && first[0]!.path === pathOf(spec)) return hashOf(first[0]!.path);
  const hash = createHash('sha256');
  if (isQuery(spec)) hash.update(`sql ${spec.sql.length}\n${spec.sql}\n`);
  for (const table of tables.toSorted((a, b) => (a.table < b.table ? -1 : 1)))
    for (const { path, name } of table.files) hash.update(`${JSON.stringify([table.table, name])} ${await hashOf(path)}\n`);
  return hash.digest('hex');
}
