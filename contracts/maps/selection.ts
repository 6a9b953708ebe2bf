import { z } from 'zod';

/** One filter of the selection DSL (maps text, "Selection DSL"). `polarity: false` inverts it. */
export type Filter =
  | { method: 'composition'; conjunctor: 'ANY' | 'ALL'; filters: Filter[]; polarity?: boolean | null | undefined }
  | {
      method: 'search';
      query: string;
      field: string;
      ignoreCase?: boolean | null | undefined;
      regex?: boolean | null | undefined;
      wordBoundary?: boolean | null | undefined;
      polarity?: boolean | null | undefined;
    }
  | { method: 'range'; field: string; range: [number, number]; polarity?: boolean | null | undefined }
  | { method: 'category'; field: string; values: (string | number | boolean)[]; polarity?: boolean | null | undefined };

export type Selection = Extract<Filter, { method: 'composition' }>;

const polarity = z.boolean().nullish();

/** A composition with its filters unseen: what recurses in a schema ends in the stack. */
const composition = z.strictObject({
  method: z.literal('composition'),
  conjunctor: z.enum(['ANY', 'ALL']),
  filters: z.array(z.unknown()),
  polarity,
});
const search = z.strictObject({
  method: z.literal('search'),
  query: z.string(),
  field: z.string(),
  polarity,
  ignoreCase: z.boolean().nullish(),
  regex: z.boolean().nullish(),
  wordBoundary: z.boolean().nullish(),
});
const range = z.strictObject({ method: z.literal('range'), field: z.string(), range: z.tuple([z.number(), z.number()]), polarity });
const category = z.strictObject({
  method: z.literal('category'),
  field: z.string(),
  values: z.array(z.union([z.string(), z.number(), z.boolean()])),
  polarity,
});
/** The filters by method. */
export const filters = { composition, search, range, category } as const;

const filter = z.discriminatedUnion('method', [composition, search, range, category], {
  error: ({ code }) => (code === 'invalid_union' ? 'must be composition, search, range or category' : undefined),
});

/** Most findings of one selection: who sends ten thousand wrong filters needs no more to mend them. */
const mostFindings = 20;

/** A filter with its place among those of the composition around it. A path of its own for each would be a square of the depth. */
type Place = { value: unknown; at?: number; within?: Place };

const pathOf = (place: Place): (string | number)[] => {
  const path: (string | number)[] = [];
  for (let { at, within }: Place = place; within; { at, within } = within) path.unshift('filters', at!);
  return path;
};

/** Every selection at the top level has method `composition`; compositions nest to any depth. */
export const selection = z
  .custom<Selection>()
  .check(({ value: top, issues }) => {
    const left: Place[] = [{ value: top }];
    for (let place = left.pop(); place && issues.length < mostFindings; place = left.pop()) {
      const { value, within } = place;
      const parsed = filter.safeParse(value);
      if (!parsed.success)
        issues.push(
          ...parsed.error.issues.map(({ message, path }) => ({
            code: 'custom' as const,
            input: value,
            message,
            path: [...pathOf(place), ...path],
          })),
        );
      else if (parsed.data.method !== 'composition') {
        if (!within) issues.push({ code: 'custom', input: value, message: 'must be composition at the top', path: ['method'] });
      } else for (const [at, each] of [...parsed.data.filters.entries()].toReversed()) left.push({ value: each, at, within: place });
    }
  })
  .meta({ type: 'object' });
