import { z } from 'zod';
import type { EffectClass } from '../../contracts/endpoint.ts';
import { isOperation } from '../../contracts/index.ts';

/** Schemas may come from another copy of zod than ours: recognised by their shape, not by their class. */
const schema = z.custom<z.ZodType>(
  (value) => typeof value === 'object' && value !== null && '_zod' in value && 'safeParse' in value,
  'a zod schema: z.object({ … })',
);
const seconds = z.number().positive().max(86_400);
const code = (usage: string) => z.custom((value) => typeof value === 'function', `a function: ${usage}`);

const fakeAnswer = z.strictObject({
  status: z.int().min(100).max(599).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.unknown().optional(),
});

const common = {
  name: z.string().regex(/^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/, 'noun.verb in lower case, such as acme.greet'),
  summary: z.string().optional(),
  input: schema,
  effect: z.enum(['safe', 'idempotent', 'reconcile', 'never'] satisfies EffectClass[]),
  paths: z.array(z.string()).optional(),
  secrets: z.array(z.string()).optional(),
  attemptSeconds: seconds.optional(),
  example: z.record(z.string(), z.unknown()).optional(),
  fake: z.record(z.string().regex(/^[A-Z]+ \S+$/, "'METHOD URL'"), z.union([fakeAnswer, z.array(fakeAnswer).min(1)])).optional(),
};

const operation = z.string().refine(isOperation, { error: 'not an operation' });

/** What code does, and how often. */
const counts = <M extends z.ZodType>(most: M) => ({
  acts: z.record(z.string().regex(/^[a-z][\w -]*$/, 'a word for what is done, such as charge'), most).optional(),
  operations: z
    .union([z.array(operation), z.record(operation, most)], { error: 'a list of operations, or the most calls of each' })
    .optional(),
});

const times = z.int({ error: 'a number of times; `perItem` is for sweeps' }).min(1);
const timesOfItems = z.union([times, z.literal('perItem')], { error: "'perItem', or a number of times while items are listed" });

/** What the file of each kind of own step may say. */
export const ownSchemas = {
  call: z.strictObject({ ...common, ...counts(times), output: schema, run: code('async run(input, context) { … }') }),
  poll: z.strictObject({
    ...common,
    ...counts(times),
    output: schema,
    start: code('async start(input, context) { … }'),
    check: code('async check(job, context) { … }'),
    deadlineSeconds: z
      .number()
      .positive()
      .max(30 * 86_400)
      .optional(),
  }),
  sweep: z.strictObject({
    ...common,
    ...counts(timesOfItems),
    items: code('async items(input, context) { … }'),
    key: code('key(item) { … }').optional(),
    each: code('async each(item, context) { … }'),
    result: schema.optional(),
    attempts: z.int().min(1).max(1_000).optional(),
    limit: z.strictObject({ count: z.int().min(1), seconds }).optional(),
    atOnce: z.int().min(1).max(256).optional(),
    window: z.int().min(1).max(100).optional(),
    itemSeconds: seconds.optional(),
    chunk: z.int().min(1).max(100_000).optional(),
  }),
};

/** A kind of own step. */
export type OwnKind = keyof typeof ownSchemas;

/** Which kind the default export of a file is, by the function that only this kind has. */
export const kindOf = (code: unknown): OwnKind => {
  if (typeof code !== 'object' || code === null) return 'call';
  return 'each' in code ? 'sweep' : 'check' in code ? 'poll' : 'call';
};
