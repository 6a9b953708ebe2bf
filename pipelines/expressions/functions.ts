/**
 * How large a function's result can be, for the cost bound.
 * - `same`: at most the sum of its receiver and arguments.
 * - `scalar`: one value.
 * - `join`: the list and its separators.
 */
export type Growth = 'same' | 'scalar' | 'join';

/** Functions that an expression may call. What is not here is refused before the run. */
export const functions: Readonly<Record<string, Growth>> = {
  size: 'scalar',
  int: 'scalar',
  double: 'scalar',
  bool: 'scalar',
  string: 'same',
  type: 'scalar',
  dyn: 'same',
  has: 'scalar',
};

/** Methods that an expression may call on a value. */
export const methods: Readonly<Record<string, Growth>> = {
  size: 'scalar',
  contains: 'scalar',
  startsWith: 'scalar',
  endsWith: 'scalar',
  indexOf: 'scalar',
  lastIndexOf: 'scalar',
  lowerAscii: 'same',
  upperAscii: 'same',
  trim: 'same',
  substring: 'same',
  split: 'same',
  join: 'join',
  hasValue: 'scalar',
  value: 'same',
  or: 'same',
  orValue: 'same',
  of: 'same',
  none: 'scalar',
};

/** Macros that run an expression once per element. They do not nest. */
export const comprehensions: Readonly<Record<string, 'list' | 'filter' | 'scalar'>> = {
  map: 'list',
  filter: 'filter',
  all: 'scalar',
  exists: 'scalar',
  exists_one: 'scalar',
};

/** Why a function of CEL is left out, where that needs saying. */
export const leftOut: Readonly<Record<string, string>> = {
  matches: 'a regular expression of 29 characters can run for seconds; use contains, startsWith or endsWith',
  timestamp: 'dates depend on the machine that evaluates; compare ISO texts, or do it in a step',
  duration: 'dates depend on the machine that evaluates; write durations as text such as 24h',
  bind: 'a bound value used twice can grow without bound; write it out',
};

/** Names of types, for `type(x) == int`. */
export const typeNames: ReadonlySet<string> = new Set(['int', 'double', 'string', 'bool', 'list', 'map', 'null_type']);
