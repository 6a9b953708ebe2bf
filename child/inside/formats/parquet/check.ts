import { open } from 'node:fs/promises';
import { BadInput } from '../../../../errors/classes.ts';
import { childLimits } from '../../../child-limits.ts';
import { refuseTooMany } from '../../source-column.ts';
import { readFooter } from './footer.ts';
import { checkPages, type Pages } from './pages.ts';

/** The engine reads decimals of more digits as floating numbers, and those of other values. */
const mostDigits = 38;

/** What a file holds that the engine misreads: the place of the column, and why. */
export type Misread = { place: number; because: string };

/**
 * Refuses, before anything of it is decoded, a Parquet file with encrypted columns, one of more rows or bytes than a table may
 * have, and one with a page that does not have its checksum. Returns the columns that the engine would misread.
 */
export async function checkParquet(file: string): Promise<Misread[]> {
  await using handle = await open(file, 'r');
  const footer = await readFooter(handle);
  if (!footer) return [];
  if (footer.isEncrypted) throw new BadInput('bad_input', 'is encrypted Parquet, which is not supported; decrypt it first');
  refuseTooMany(footer.rows);
  const GiB = footer.decodedBytes / 1024 ** 3;
  if (GiB > childLimits.decodedGiB)
    throw new BadInput('too_large', `decodes to ${GiB.toFixed(1)} GiB; a table may take ${childLimits.decodedGiB} GiB`);
  const pages: (Pages & { name: string })[] = [];
  for (const chunk of footer.chunks) pages.push({ ...(await checkPages(handle, chunk)), name: chunk.name });
  // Who writes checksums writes them for every page: one that is not there, or not found, is damage. Without any a page that
  // cannot be read is the engine's to judge.
  const lost = pages.some(({ checked }) => checked > 0) && pages.find(({ unchecked, areWhole }) => unchecked > 0 || !areWhole);
  if (lost)
    throw new BadInput('bad_input', `is damaged Parquet: a page of column '${lost.name}' has not the checksum that the others have`);
  return footer.decimalDigits.flatMap((digits, place) =>
    digits > mostDigits ? [{ place, because: `holds decimals of ${digits} digits, which is not supported beyond ${mostDigits}` }] : [],
  );
}
