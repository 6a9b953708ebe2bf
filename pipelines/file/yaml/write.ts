import { stringify } from 'yaml';
import type { Json } from '../../../text/json.ts';

/** A value as one line of YAML holds it, quoted where it must be; `flow`: inside of `{ }` or `[ ]`. */
export function written(value: Json, flow: boolean): string {
  if (Array.isArray(value)) return `[${value.map((item) => written(item, true)).join(', ')}]`;
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value).map(([name, member]) => `${written(name, true)}: ${written(member, true)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  if (typeof value !== 'string') return JSON.stringify(value);
  const plain = stringify(value.replaceAll('\n', ' '), { lineWidth: 0 }).trimEnd();
  return /^["']/.test(plain) || !flow || !/[,[\]{}]/.test(plain) ? plain : quoted(value);
}

/** Double quotes where nothing in the text needs escaping there, else single ones. */
export const quoted = (text: string): string => (/["\\]/.test(text) ? `'${text.replaceAll("'", "''")}'` : `"${text}"`);
