import type { OwnSweep } from '../../../../pipelines/own/define.ts';
import { badInput } from './bad-input.ts';

/** Name of an item by the sweep's `key`, else as `keyOf` has it. Fails where `key` gives no text: the rows of a table are of any type. */
export function namedBy(own: Pick<OwnSweep, 'name' | 'key'>, item: unknown, number: number): string {
  const given: unknown = own.key?.(item) ?? keyOf(item, number);
  if (typeof given === 'string') return given;
  throw badInput(`the key of item ${number} of ${own.name} must be a text, and key gave ${kindOf(given)}: write String(…) around it`);
}

const kindOf = (value: unknown): string =>
  Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;

/** Name of an item whose sweep has no `key`: the item where it is a string or number, its `id`, or its number from 0. */
export function keyOf(item: unknown, number: number): string {
  if (typeof item === 'string' || typeof item === 'number') return String(item);
  const { id } = (item ?? {}) as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? String(id) : String(number);
}
