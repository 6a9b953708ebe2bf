import type { Json } from './json.ts';

/** JSON with the names of every object in code unit order, so that equal values have equal texts. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .toSorted((a, b) => (a < b ? -1 : 1));
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key]!)}`).join(',')}}`;
}
