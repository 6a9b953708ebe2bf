import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { SourceFacts } from '../pipelines/step.ts';
import type { ChildContext } from './protocol.ts';
import { judged } from './duck-error.ts';
import { openSource } from './source.ts';
import { BadInput } from './tables.ts';

async function fingerprint(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/** Size, sha256 and columns of a table; a table without rows is a verdict. */
export async function inspect({ path }: { path: string }, context: ChildContext): Promise<SourceFacts> {
  await using source = await openSource(path, context);
  const [counted] = await judged(source.name, () => source.engine.rows(`select count(*)::double as n from ${source.relation}`));
  const rows = Number(counted!['n']);
  if (rows === 0) throw new BadInput('bad_input', `${source.name}: has no rows`);
  return { path, rows, bytes: source.bytes, sha256: await fingerprint(path), columns: source.columns };
}
