import type { Json } from '../../text/json.ts';
import { hasExpression } from '../expressions/scan.ts';

/** Every string of a value that holds an expression, with its path. */
export function expressionsIn(value: unknown, path: readonly (string | number)[] = []): { text: string; path: (string | number)[] }[] {
  if (typeof value === 'string') return hasExpression(value) ? [{ text: value, path: [...path] }] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => expressionsIn(item, [...path, index]));
  if (value !== null && typeof value === 'object')
    return Object.entries(value).flatMap(([key, member]) => expressionsIn(member, [...path, key]));
  return [];
}

/** A copy with every string that holds an expression replaced. */
export function mapExpressions(
  value: Json,
  replace: (text: string, path: (string | number)[]) => Json,
  path: readonly (string | number)[] = [],
): Json {
  if (typeof value === 'string') return hasExpression(value) ? replace(value, [...path]) : value;
  if (Array.isArray(value)) return value.map((item, index) => mapExpressions(item, replace, [...path, index]));
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapExpressions(member, replace, [...path, key])]));
  return value;
}

/** The value as far as it is known before the run: parts that are still expressions are left out. */
export function known(value: Json): unknown {
  if (typeof value === 'string') return hasExpression(value) ? undefined : value;
  if (Array.isArray(value)) return value.map(known);
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, known(member)]));
  return value;
}
