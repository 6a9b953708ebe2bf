import { z } from 'zod';
import type { ReadingOf } from '../../../contracts/assumptions/index.ts';
import type { Filter, Selection } from '../../../contracts/maps/selection.ts';
import { instant } from '../../../contracts/time.ts';
import type { ColumnUse } from '../column-uses.ts';
import { asNumber, isBeyond, toRange, type NumberType } from './to-range.ts';

/** A condition on points, as a pipeline file writes it. */
export type Where =
  | { all: Where[] }
  | { any: Where[] }
  | { not: Where }
  | { range: string; from?: number | string | undefined; to?: number | string | undefined }
  | { category: string; in: (string | number | boolean)[] }
  | { search: string; for: string };

/** A number, or a date as ISO text: range bounds on a timestamp column are epoch milliseconds on the wire. */
const bound = z.union([z.number(), z.iso.date(), z.iso.datetime({ offset: true })]);

const toNumber = (value: number | string): number => (typeof value === 'number' ? value : instant(value));

export const where: z.ZodType<Where, Where> = z.lazy(() =>
  z.union([
    z.strictObject({ all: z.array(where) }),
    z.strictObject({ any: z.array(where) }),
    z.strictObject({ not: where }),
    z
      .strictObject({ range: z.string(), from: bound.optional(), to: bound.optional() })
      .refine(({ from, to }) => from !== undefined || to !== undefined, {
        error: 'a range needs an end',
        params: { about: 'fields', remedy: 'add from, to or both' },
      })
      .refine(({ from, to }) => from === undefined || to === undefined || toNumber(from) <= toNumber(to), {
        error: "'from' is above 'to': nothing lies between",
        params: { remedy: 'swap the two' },
        path: ['from'],
      }),
    z.strictObject({ category: z.string(), in: z.array(z.union([z.string(), z.number(), z.boolean()])).min(1) }),
    z.strictObject({ search: z.string(), for: z.string().min(1) }),
  ]),
);

/** What a selection depends on beside its conditions. */
export type SelectionFacts = {
  /** Column of the unique ids, which are never null. */
  idField: string;
  /** Types of the other columns, by name; a column that is not here is sent as it is written. */
  columns: ReadonlyMap<string, string>;
  ends: ReadingOf<'range-ends'>;
};

const composition = (conjunctor: 'ANY' | 'ALL', filters: Filter[], polarity: boolean): Filter => ({
  method: 'composition',
  conjunctor,
  filters,
  ...(polarity ? {} : { polarity: false }),
});

/** Every point, or none: what a list without filters means is not said, and no id is the empty text. */
const everyPoint = ({ idField }: SelectionFacts, polarity: boolean): Filter => ({
  method: 'category',
  field: idField,
  values: [''],
  ...(polarity ? { polarity: false } : {}),
});

const isNumber = (type: string | undefined): type is NumberType => type === 'int32' || type === 'float32' || type === 'timestamp';

/** Values of a category on a number column: more would make a selection that services refuse. */
const mostNumbers = 1_000;

function toFilter(condition: Where, facts: SelectionFacts, polarity: boolean): Filter {
  const inverted = polarity ? {} : { polarity: false };
  const list = (conditions: Where[]): Filter[] => conditions.map((each) => toFilter(each, facts, true));
  if ('all' in condition)
    return condition.all.length === 0 ? everyPoint(facts, polarity) : composition('ALL', list(condition.all), polarity);
  if ('any' in condition)
    return condition.any.length === 0 ? everyPoint(facts, !polarity) : composition('ANY', list(condition.any), polarity);
  if ('not' in condition) return toFilter(condition.not, facts, !polarity);
  if ('range' in condition) {
    const type = facts.columns.get(condition.range);
    const [from, to] = [condition.from, condition.to].map((bound) => (bound === undefined ? undefined : toNumber(bound)));
    const held = isNumber(type) ? type : 'float32';
    if (isBeyond(held, from, to)) return everyPoint(facts, !polarity);
    return {
      method: 'range',
      field: condition.range,
      range: toRange(held, facts.ends, from, to),
      ...inverted,
    };
  }
  if ('category' in condition) {
    const { category: field, in: values } = condition;
    const type = facts.columns.get(field);
    if (!isNumber(type)) return { method: 'category', field, values: values.map(String), ...inverted };
    // Whether a number column is compared with texts, with numbers or with both is not said: a range of one value is plain.
    if (values.length > mostNumbers)
      throw new Error(`category on ${field}: ${values.length} values, at most ${mostNumbers} on a column of numbers`);
    const numbers = values.flatMap((value) => asNumber(value, type) ?? []);
    if (numbers.length === 0) return everyPoint(facts, !polarity);
    const one = (value: number): Filter => ({ method: 'range', field, range: toRange(type, facts.ends, value, value) });
    return composition('ANY', numbers.map(one), polarity);
  }
  return { method: 'search', field: condition.search, query: condition.for, ...inverted };
}

/** The selection of the wire. Its top is always a composition, and never inverted: whether it then counts is not said. */
export function toSelection(condition: Where | undefined, facts: SelectionFacts): Selection {
  const filter = condition === undefined ? everyPoint(facts, true) : toFilter(condition, facts, true);
  if (filter.method === 'composition' && filter.polarity !== false) return filter;
  return { method: 'composition', conjunctor: 'ALL', filters: [filter] };
}

/** A condition on one column. */
export type Leaf = Extract<Where, { range: string } | { category: string } | { search: string }>;

/** The conditions on columns within conditions, with whether they are inverted. */
export function* conditionsOf(condition: Where | undefined, inverted = false): Generator<{ condition: Leaf; inverted: boolean }> {
  if (condition === undefined) return;
  if ('all' in condition || 'any' in condition)
    for (const each of 'all' in condition ? condition.all : condition.any) yield* conditionsOf(each, inverted);
  else if ('not' in condition) yield* conditionsOf(condition.not, !inverted);
  else yield { condition, inverted };
}

/** What each condition compares its column with. */
const valuesOf = {
  range: ['from', 'to'],
  category: ['in'],
  search: ['for'],
} as const;

const isAsk = (key: string): key is keyof typeof valuesOf => key in valuesOf;

/** The columns in conditions, as far as they are known before the run, what is asked of them, and where. */
export function* columnsIn(condition: unknown, path: (string | number)[]): Generator<ColumnUse> {
  if (typeof condition !== 'object' || condition === null) return;
  for (const [key, value] of Object.entries(condition)) {
    const inner = [...path, Array.isArray(condition) ? Number(key) : key];
    if (isAsk(key) && typeof value === 'string') {
      const fields = condition as { [name: string]: unknown };
      const values = valuesOf[key].flatMap((name) =>
        [fields[name]].flat().map((each, at) => ({ value: each, path: [...path, name, ...(Array.isArray(fields[name]) ? [at] : [])] })),
      );
      yield { column: value, path: inner, ask: key, values: values.filter((each) => each.value !== undefined) };
    } else yield* columnsIn(value, inner);
  }
}
