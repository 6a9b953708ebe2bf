import { z } from 'zod';
import type { Filter, Selection } from '../../../contracts/maps/selection.ts';

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

export const where: z.ZodType<Where, Where> = z.lazy(() =>
  z.union([
    z.strictObject({ all: z.array(where) }),
    z.strictObject({ any: z.array(where) }),
    z.strictObject({ not: where }),
    z.strictObject({ range: z.string(), from: bound.optional(), to: bound.optional() }),
    z.strictObject({ category: z.string(), in: z.array(z.union([z.string(), z.number(), z.boolean()])).min(1) }),
    z.strictObject({ search: z.string(), for: z.string().min(1) }),
  ]),
);

/** Largest finite bound: an open side of a range; JSON has no infinity. */
const open = Number.MAX_VALUE;

const toNumber = (value: number | string): number => (typeof value === 'number' ? value : Date.parse(value));

function toFilter(condition: Where, polarity: boolean): Filter {
  const inverted = polarity ? {} : { polarity: false };
  if ('all' in condition)
    return { method: 'composition', conjunctor: 'ALL', filters: condition.all.map((each) => toFilter(each, true)), ...inverted };
  if ('any' in condition)
    return { method: 'composition', conjunctor: 'ANY', filters: condition.any.map((each) => toFilter(each, true)), ...inverted };
  if ('not' in condition) return toFilter(condition.not, !polarity);
  if ('range' in condition) {
    const range: [number, number] = [toNumber(condition.from ?? -open), toNumber(condition.to ?? open)];
    return { method: 'range', field: condition.range, range, ...inverted };
  }
  if ('category' in condition) return { method: 'category', field: condition.category, values: condition.in, ...inverted };
  return { method: 'search', field: condition.search, query: condition.for, ...inverted };
}

/** The selection of the wire: its top is always a composition. */
export function toSelection(condition: Where | undefined): Selection {
  const filter = condition === undefined ? undefined : toFilter(condition, true);
  if (filter?.method === 'composition') return filter;
  return { method: 'composition', conjunctor: 'ALL', filters: filter ? [filter] : [] };
}
