import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { SourceSpec } from '../../pipelines/step.ts';
import type { SourceFile } from '../source-files.ts';

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/** The sha256 of one file's bytes; of several files, or of a query, that of a list of names and hashes with the query's text. */
export async function fingerprint(tables: readonly { table: string; files: SourceFile[] }[], spec: SourceSpec): Promise<string> {
  const first = tables[0]!.files;
  if (typeof spec === 'string' && first.length === 1 && first[0]!.path === spec) return hashOf(spec);
  const hash = createHash('sha256');
  if (typeof spec !== 'string') hash.update(`sql ${spec.sql.length}\n${spec.sql}\n`);
  for (const table of tables.toSorted((a, b) => (a.table < b.table ? -1 : 1)))
    for (const { path, name } of table.files) hash.update(`${JSON.stringify([table.table, name])} ${await hashOf(path)}\n`);
  return hash.digest('hex');
}
