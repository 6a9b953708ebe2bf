import type { Json } from '../text/json.ts';
import { slugPattern, slugRule } from '../text/slug.ts';
import type { ParamType } from './param-types.ts';
import { resolvePath } from './resolve-path.ts';

/** What a value of the wrong type is read as. */
export const invalid = Symbol('invalid');

/** How each type of a parameter reads a value: text is what a command line gives. Also in the workflow sandbox. */
export const paramValues: Record<ParamType, { expects: string; value(given: unknown, folder: string): Json | typeof invalid }> = {
  path: {
    expects: 'a path',
    value: (given, folder) => (typeof given === 'string' && given !== '' && !given.includes('\0') ? resolvePath(given, folder) : invalid),
  },
  slug: {
    expects: `a slug: ${slugRule}`,
    value: (given) => (typeof given === 'string' && slugPattern.test(given) ? given : invalid),
  },
  string: { expects: 'a text', value: (given) => (typeof given === 'string' ? given : invalid) },
  integer: { expects: 'a whole number', value: (given) => number(given, /^[+-]?\d+$/, Number.isSafeInteger) },
  number: { expects: 'a number', value: (given) => number(given, /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/, Number.isFinite) },
  boolean: {
    expects: 'true or false',
    value: (given) => (given === true || given === 'true' ? true : given === false || given === 'false' ? false : invalid),
  },
};

function number(given: unknown, written: RegExp, allowed: (value: number) => boolean): number | typeof invalid {
  const value = typeof given === 'string' && written.test(given) ? Number(given) : given;
  return typeof value === 'number' && allowed(value) ? value : invalid;
}
