import { createHash } from 'node:crypto';

/** A name for a text that may be long, or hold what no file name may. */
export const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
