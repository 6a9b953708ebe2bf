import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../../../files/whole-file.ts';
import { root } from '../../../scripts/sources.mjs';

/** Rows that were caught, by what their judgement rests on. It is committed, so that `--resume` judges on any machine only what has changed since. */
const file = join(root, 'test/prove/mutants/caught.txt');

/** Signs of a key that are kept: enough for some thousand rows. */
const signs = 16;

export async function readCaught(): Promise<(key: string) => boolean> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  const known = new Set(lines);
  return (key) => known.has(key.slice(0, signs));
}

/** Writes down the rows that were caught; those that are no longer in the table go. */
export const writeCaught = (keys: readonly string[]): Promise<void> =>
  writeWhole(file, `${[...new Set(keys.map((key) => key.slice(0, signs)))].sort().join('\n')}\n`);
