/**
 * How a field is written in a query. `list`: the name once for each member; `commas`: the members in one value, which
 * hold no comma; `json`: JSON text.
 */
export type QueryType = 'text' | 'number' | 'boolean' | 'list' | 'commas' | 'json';

export type QueryTypes = Readonly<Record<string, QueryType>>;

/** Names and values of a query, from the fields of an input. A field that is undefined or null is not sent. */
export const encodeQuery = (types: QueryTypes, input: Readonly<Record<string, unknown>>): [string, string][] =>
  Object.entries(types).flatMap(([name, type]) => {
    const value = input[name];
    if (value === undefined || value === null) return [];
    if (type === 'list') return membersOf(value).map((member): [string, string] => [name, textOf(member)]);
    if (type === 'commas') return [[name, membersOf(value).map(withoutComma).join(',')]];
    return [[name, type === 'json' ? JSON.stringify(value) : textOf(value)]];
  });

/**
 * The fields that a query holds, as values. What is not written as its type says stays text, so that the schema refuses it
 * in its own words; names without a type are left out.
 */
export const decodeQuery = (types: QueryTypes, query: URLSearchParams): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(types).flatMap(([name, type]) => {
      const values = query.getAll(name);
      if (values.length === 0) return [];
      return [[name, type === 'list' ? values : decode[type](values.at(-1)!)]];
    }),
  );

const decode: Readonly<Record<Exclude<QueryType, 'list'>, (text: string) => unknown>> = {
  text: (text) => text,
  number: (text) => (/^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : text),
  // In any case: Python writes `True`.
  boolean: (text) => ({ true: true, false: false })[text.toLowerCase()] ?? text,
  commas: (text) => (text === '' ? [] : text.split(',')),
  json: (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  },
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const membersOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

const withoutComma = (member: unknown): string => {
  const text = textOf(member);
  if (text.includes(',')) throw new RangeError(`a list separated by commas cannot hold '${text}'`);
  return text;
};
