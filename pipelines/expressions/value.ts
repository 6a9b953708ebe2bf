import type { Json } from '../../text/json.ts';
import { ExpressionError } from './error.ts';

/**
 * JSON as CEL sees it: whole numbers are its integers (BigInt), so that `x + 1` works; objects have no
 * prototype, so that no inherited name can be reached.
 */
export function toCel(value: Json | undefined): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  // Not value.map(): the array may come from outside of a sandbox, and its own map would make another such.
  if (Array.isArray(value)) return Array.from(value, toCel);
  if (value !== null && typeof value === 'object') {
    const copy: Record<string, unknown> = Object.create(null);
    for (const key of Object.keys(value)) if (value[key] !== undefined) copy[key] = toCel(value[key]);
    return copy;
  }
  return value;
}

const notJson = (what: string): ExpressionError =>
  new ExpressionError('expression-result', `the result is ${what}, which is not plain JSON`);

/** The one way out of CEL: plain JSON, or an `expression-result` error. Integers must be within ±2^53. */
export function fromCel(value: unknown): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'bigint':
      if (value > BigInt(Number.MAX_SAFE_INTEGER) || value < BigInt(Number.MIN_SAFE_INTEGER))
        throw new ExpressionError(
          'expression-result',
          `the result ${value} is beyond ±2^53, the largest integer that JSON keeps exactly; use string() around it`,
        );
      return Number(value);
    case 'number':
      if (!Number.isFinite(value)) throw notJson(Number.isNaN(value) ? 'not a number (NaN)' : 'infinite');
      return Object.is(value, -0) ? 0 : value;
    case 'object':
      if (value === null) return null;
      if (Array.isArray(value)) return Array.from(value, fromCel);
      return fromObject(value);
    default:
      throw notJson(value === undefined ? 'nothing' : `a ${typeof value}`);
  }
}

function fromObject(value: object): Json {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) throw notJson(describe(value));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fromCel(member)]));
}

/** By their tags and constructors: classes of a sandbox are not ours, so `instanceof` says nothing. */
function describe(value: object): string {
  const name = value.constructor?.name ?? '';
  if (name === 'Optional') return 'an optional value (end it with .orValue(…))';
  if (name === 'Date') return 'a timestamp';
  if (name === 'Duration') return 'a duration';
  if (name === 'Type') return 'a type';
  if (ArrayBuffer.isView(value)) return 'bytes';
  return name === '' ? 'an object' : `a ${name}`;
}
