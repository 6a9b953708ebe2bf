import { canonical } from '../text/canonical-json.ts';
import type { Json } from '../text/json.ts';
import { sha256Of } from './sandbox-hash.ts';

/** True of an item any part of which may be another one the next time. */
export const hasFields = (item: Json): item is Extract<Json, object> => item !== null && typeof item === 'object';

/**
 * What names the turn of an item in a path such as `review[north].ask`. A text or a number is its own name, or a hash stands for it. Of what
 * has fields the name is a hash in braces.
 */
export function itemName(item: Json): string {
  if (hasFields(item)) return `{${sha256Of(canonical(item)).slice(0, 12)}}`;
  const text = String(item);
  return /^[^[\]{}\s]{1,80}$/.test(text) ? text : sha256Of(text).slice(0, 12);
}
