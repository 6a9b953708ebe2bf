import { createHash } from 'node:crypto';
import { canonical } from '../text/canonical-json.ts';
import type { Json } from '../text/json.ts';

/** sha256 of the canonical JSON, hexadecimal. */
export const hashOf = (value: Json): string => createHash('sha256').update(canonical(value)).digest('hex');
