import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { landingFolder } from '../landing/landing.ts';

/** Fetched files, and parts of some, that nobody has asked for since a time in Unix milliseconds; runs keep theirs by links of their own. */
export async function landedGarbage(root: string, since: number): Promise<{ path: string; size: number }[]> {
  const folder = join(root, landingFolder);
  const found: { path: string; size: number }[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const facts = await stat(path).catch(() => undefined);
    if (facts && facts.mtimeMs < since) found.push({ path, size: facts.size });
  }
  return found;
}
