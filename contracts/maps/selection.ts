import { z } from 'zod';

/** One filter of the selection DSL (maps text, "Selection DSL"). `polarity: false` inverts it. */
export type Filter =
  | { method: 'composition'; conjunctor: 'ANY' | 'ALL'; filters: Filter[]; polarity?: boolean | null | undefined }
  | {
      method: 'search';
      query: string;
      field: string;
      ignoreCase?: boolean | undefined;
      regex?: boolean | undefined;
      wordBoundary?: boolean | undefined;
      polarity?: boolean | null | undefined;
    }
  | { method: 'range'; field: string; range: [number, number]; polarity?: boolean | null | undefined }
  | { method: 'category'; field: string; values: (string | number | boolean)[]; polarity?: boolean | null | undefined };

export type Selection = Extract<Filter, { method: 'composition' }>;

const polarity = z.boolean().nullish();

const search = z.strictObject({
  method: z.literal('search'),
  query: z.string(),
  field: z.string(),
  polarity,
  ignoreCase: z.boolean().optional(),
  regex: z.boolean().optional(),
  wordBoundary: z.boolean().optional(),
});
const range = z.strictObject({ method: z.literal('range'), field: z.string(), range: z.tuple([z.number(), z.number()]), polarity });
const category = z.strictObject({
  method: z.literal('category'),
  field: z.string(),
  values: z.array(z.union([z.string(), z.number(), z.boolean()])),
  polarity,
});

/** Every selection at the top level has method `composition`; compositions nest to any depth. */
export const selection: z.ZodType<Selection, Selection> = z.strictObject({
  method: z.literal('composition'),
  conjunctor: z.enum(['ANY', 'ALL']),
  filters: z.array(z.lazy((): z.ZodType<Filter, Filter> => z.union([selection, search, range, category]))),
  polarity,
});
