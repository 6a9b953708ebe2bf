import { hasExpression } from './expressions/scan.ts';

/** The path that a value names as a file of a form; undefined where it is none, or not written out. */
const formFile = (value: unknown): string | undefined => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const [[field, path] = [], ...others] = Object.entries(value);
  return field === 'file' && others.length === 0 && typeof path === 'string' && !hasExpression(path) ? path : undefined;
};

/** The same value with something in place of each file of a form. */
export function mapFormFiles(
  value: unknown,
  change: (path: string, at: readonly string[]) => unknown,
  at: readonly string[] = [],
): unknown {
  const path = formFile(value);
  if (path !== undefined) return change(path, at);
  if (Array.isArray(value)) return value.map((member, index) => mapFormFiles(member, change, [...at, String(index)]));
  if (typeof value !== 'object' || value === null || value instanceof Blob) return value;
  return Object.fromEntries(Object.entries(value).map(([field, member]) => [field, mapFormFiles(member, change, [...at, field])]));
}
