import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** Hash of the text of a step's file. What it imports is not seen. */
export const codeVersion = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
