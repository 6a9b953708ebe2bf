import { canonical } from '../text/canonical-json.ts';
import type { Json } from '../text/json.ts';
import { utf8Bytes } from '../text/utf8-bytes.ts';

/** A value that stands in the run store instead of the history: a file of canonical JSON, named by the hash of its bytes. */
export type Kept = { $kept: string; sha256: string; bytes: number };

/** Bytes of canonical JSON beyond which a value is passed by reference: histories and views stay small. */
export const inlineLimit = 4_096;

/** Bytes of one kept value: what a step may read at once. */
export const keptLimit = 4 * 1_024 * 1_024;

/** Only a whole value is ever a reference; one inside of another is data. */
export const isKept = (value: Json | undefined): value is Kept =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && typeof value['$kept'] === 'string';

/** Whether a value is passed by reference. One that looks like a reference is, so that no data is ever taken for one. */
export const isLarge = (value: Json): boolean => isKept(value) || utf8Bytes(canonical(value)) > inlineLimit;
