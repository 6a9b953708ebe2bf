import { readFile, stat } from 'node:fs/promises';
import type { LentTables } from './lent-tables.ts';

/** Of a longer file nothing is expected. */
const mostBytes = 1_000_000;

/** What a step reads its rows from, in any of the notations of a pipeline file. */
const sourceKey = /\bsource["']?\s*:/;

/**
 * Starts the child process of a command as soon as the text of its file speaks of a source: it starts while the file is understood. A
 * guess: one too many is ended unused, one too few is started when it is needed.
 */
export async function expectTables(path: string, tables: LentTables): Promise<void> {
  const text = await stat(path)
    .then((facts) => (facts.isFile() && facts.size <= mostBytes ? readFile(path, 'utf8') : ''))
    // Whoever opens the file says what is wrong with it.
    .catch(() => '');
  if (sourceKey.test(text)) await tables.get();
}
