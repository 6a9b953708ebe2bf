import { open } from 'node:fs/promises';
import { BadInput } from '../../../../errors/classes.ts';
import { childLimits } from '../../../limits.ts';
import { refuseTooMany } from '../../source-column.ts';
import { readFooter } from './footer.ts';
import { checkPages } from './pages.ts';

/**
 * Refuses, before anything of it is decoded, a Parquet file with encrypted columns, one of more rows or bytes than a table may
 * have, and one with a page that does not have its checksum.
 */
export async function checkParquet(file: string): Promise<void> {
  await using handle = await open(file, 'r');
  const footer = await readFooter(handle);
  if (!footer) return;
  if (footer.isEncrypted) throw new BadInput('bad_input', 'is encrypted Parquet, which is not supported; decrypt it first');
  refuseTooMany(footer.rows);
  const GiB = footer.decodedBytes / 1024 ** 3;
  if (GiB > childLimits.decodedGiB)
    throw new BadInput('too_large', `decodes to ${GiB.toFixed(1)} GiB; a table may take ${childLimits.decodedGiB} GiB`);
  for (const chunk of footer.chunks) await checkPages(handle, chunk);
}
