import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { sourceName } from '../../pipelines/source-name.ts';
import type { SourceFacts } from '../../pipelines/step.ts';
import type { ChildContext, Methods } from '../protocol.ts';
import { judged } from './duck-error.ts';
import { openSource, type SourceTable } from './source.ts';
import { BadInput } from '../../errors/classes.ts';

async function hashOf(path: string): Promise<string> {
  const hash: Hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/** The sha256 of one file's bytes; of several files, or of a query, that of a list of names and hashes with the query's text. */
async function fingerprint(tables: readonly SourceTable[], spec: Methods['inspect']['input']['source']): Promise<string> {
  const [{ files }] = tables as [SourceTable];
  if (typeof spec === 'string' && files.length === 1 && files[0]!.path === spec) return hashOf(spec);
  const hash = createHash('sha256');
  if (typeof spec !== 'string') hash.update(`sql ${spec.sql.length}\n${spec.sql}\n`);
  for (const table of tables.toSorted((a, b) => (a.table < b.table ? -1 : 1)))
    for (const { path, name } of table.files) hash.update(`${JSON.stringify([table.table, name])} ${await hashOf(path)}\n`);
  return hash.digest('hex');
}

/** Size, sha256 and columns of a source; one without rows is a verdict. */
export async function inspect({ source: spec }: Methods['inspect']['input'], context: ChildContext): Promise<SourceFacts> {
  await using source = await openSource(spec, context);
  const [counted] = await judged(source.name, () => source.engine.rows(`select count(*)::double as n from ${source.relation}`));
  const rows = Number(counted!['n']);
  if (rows === 0) throw new BadInput('bad_input', `${source.name}: has no rows`);
  return { path: sourceName(spec), rows, bytes: source.bytes, sha256: await fingerprint(source.tables, spec), columns: source.columns };
}
