/** What makes text of a type that a dataset has no place for. JSON of what is a text already would put it in quotes. */
const remedies: readonly (readonly [type: RegExp, expression: (sql: string) => string])[] = [
  [/^(BOOLEAN|GEOMETRY.*|UNION\(.*\))$/s, (sql) => `${sql}::varchar`],
  [/^BLOB$/, (sql) => `hex(${sql})`],
  [/^VARIANT$/, (sql) => `${sql}::json ->> '$'`],
];

/** An expression that makes a column of any type one that a dataset takes. */
export const remedyOf = (sql: string, type: string): string =>
  (remedies.find(([pattern]) => pattern.test(type))?.[1] ?? ((value: string) => `to_json(${value})::varchar`))(sql);
