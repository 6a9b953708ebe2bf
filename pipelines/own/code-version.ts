import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Hash of the text of a step's file. What it imports is not seen. At once: every execution asks, and waiting would cost more than reading. */
export const codeVersion = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
