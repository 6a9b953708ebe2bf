import { z } from 'zod';
import { remedies } from '../../contracts/remedies.ts';
import { sameName } from '../../text/same-name.ts';
import { slugPattern, slugRule } from '../../text/slug.ts';
import { errorClasses, errorClassNames, type ErrorClass } from '../error-classes.ts';
import { typeNames } from '../expressions/functions.ts';
import { endStatuses } from '../plan.ts';
import { concurrencyField } from './concurrency.ts';
import { forms } from './forms.ts';
import { paramTypes } from '../param-types.ts';
import { notify } from '../notify-rule.ts';
import { schedule } from './schedule.ts';
import { source } from '../steps/source.ts';
import { durationPattern, durationRule, zeroDuration } from '../../text/duration.ts';

/** Names that expressions refer to: steps and params. A hyphen would be a minus sign in `steps.my-step`. */
const words = /^[A-Za-z][A-Za-z0-9_]*$/;
const reserved = new Set(['true', 'false', 'null', 'in', 'constructor', 'prototype']);
const name = z
  .string()
  .max(64, 'a name has at most 64 characters')
  .regex(words, 'a name begins with a letter and has letters, digits and underscores only, so that expressions can refer to it')
  .refine((value) => !reserved.has(value), { error: 'a reserved word cannot be a name' });

/** Nothing refers to an output by its name: it is a label of the result. */
const label = z.string().regex(/^\S(.{0,98}\S)?$/, 'a label of at most 100 characters on one line');

export const duration = z.string().regex(durationPattern, durationRule).register(remedies, zeroDuration);

const share = z.string().regex(/^(100|\d{1,2})(\.\d+)?%$/, 'a share such as 1% or 0.5%');

const threshold = z.union([share, z.int().min(0)]);

/** Ends of a step after which another one starts. */
const accepted = z.union([z.literal('any'), z.enum(endStatuses), z.array(z.enum(endStatuses)).min(1, 'name an end, or write any')]);

export const param = z
  .strictObject({
    type: z
      .enum(paramTypes)
      .describe('`path` is resolved against the folder of the file; `slug` is lower-case letters, digits and single hyphens.'),
    default: z
      .union([z.string(), z.number(), z.boolean()])
      .optional()
      .describe('Value where the run gives none. Without it the parameter is required.'),
    description: z.string().optional(),
  })
  .describe('A value that a run may set: `--param name=value`.');

const needs = z
  .union([z.array(z.string()), z.record(z.string(), accepted)])
  .optional()
  .describe(
    'Steps that must have ended first, beside those that are referred to. A list: this step starts where they are done or their failure is tolerated. By id: the ends under which it starts, or `any`.',
  );
const when = z
  .union([z.boolean(), z.string()])
  .optional()
  .describe('An expression that gives true or false, read when the needs have ended. Where it gives false the step is skipped.');
const isObject = (value: unknown): value is object => value !== null && typeof value === 'object';
const every = duration.describe('Pause before each of them.');
const tries = z
  .int()
  .min(1)
  .max(100)
  .describe('So many further tries; each goes on where the last one was, sends nothing twice, and begins no item again that has failed.');
export const reactionWords = ['fail', 'tolerate'] as const;

/** Further tries, and what is done when the last one has failed. */
const retried = z.strictObject({
  retry: tries,
  every,
  then: z.enum(reactionWords).default('fail').describe('What is done when the last one has failed.'),
});

/** Steps that are done about a failure, after further tries where the file says so. */
const handled = z
  .strictObject({
    retry: tries.optional(),
    every: every.optional(),
    get steps(): z.ZodType<{ [id: string]: FileStep | FileLoop }> {
      return z
        .record(name, stepOrLoop)
        .refine((steps) => Object.keys(steps).length > 0, { error: 'name at least one step' })
        .describe('Steps by id that are carried out when the last try has failed. Where they are done the failure is tolerated.');
    },
  })
  .refine(({ retry, every: pause }) => (retry === undefined) === (pause === undefined), {
    error: 'retry and every stand together',
    params: { about: 'fields', remedy: 'write both: retry: 3, every: 10m' },
  });

const reaction = z
  .union([z.enum(reactionWords), retried, handled])
  .meta({ title: 'A reaction' })
  .register(forms, { of: (value) => (isObject(value) ? ('steps' in value ? 2 : 1) : 0) });

/** The forms of a reaction that have fields. */
export const reactionForms = { retried, handled };

/** What is done about failures, by a word for all of them or by their class. */
const byClass = <R extends z.ZodType>(of: R) =>
  z
    .union([
      z.enum(reactionWords),
      z.strictObject({
        ...(Object.fromEntries(errorClassNames.map((each) => [each, of.optional().describe(`Where ${errorClasses[each].means}.`)])) as {
          [each in ErrorClass]: z.ZodOptional<R>;
        }),
        else: of.optional().describe('Any other failure. Where nobody knows what was done the run fails in any case.'),
      }),
    ])
    .register(forms, { of: (value) => (isObject(value) ? 1 : 0) });

const onError = byClass(reaction)
  .optional()
  .describe(
    'What is done where this step fails: `fail` (the default), `tolerate` (the run goes on), or by the class of the error one of these, further tries, or steps.',
  );

const timeout = duration
  .optional()
  .describe(
    'Longest time of each piece of the step’s work, waiting for limits included: its call, each chunk of a sweep, the beginning and the looks of a poll, the whole run of a pipeline; for each try that `onError` has anew. Also of the look at its sources before the run.',
  );
const window = z.int().min(1).max(100).optional().describe('Chunks in flight at a time; only for steps that work in chunks.');

/** What steps may take from the file; a reaction that holds steps stands at one step. */
const presets = {
  timeout,
  window,
  onError: byClass(z.union([z.enum(reactionWords), retried]).register(forms, { of: (value) => (isObject(value) ? 1 : 0) }))
    .optional()
    .describe('`fail`, `tolerate`, or by the class of the error one of these or further tries.'),
};

/** What holds for steps that say nothing themselves. */
export const defaults = z
  .strictObject({
    ...presets,
    use: z
      .record(z.string(), z.strictObject(presets))
      .default({})
      .describe('The same for the steps of one name, such as `dataset.append`: it counts before the rest.'),
  })
  .describe(
    '`timeout`, `window` and `onError` of the steps that do not say it themselves; gates and loops take none, what stands under `undo` no `onError`.',
  );

/** Values by environment: what differs between a test and the real thing. Secrets stand in portolan.config.mts. */
export const environment = z.strictObject({
  connection: z.string().min(1).optional().describe('Connection of `portolan.config.mts` that the steps use there.'),
  params: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .default({})
    .describe('Values of parameters there; `--param` counts before them.'),
});

const what = {
  use: z
    .string()
    .min(1)
    .describe('Name of the step, such as `dataset.ensure`; or another pipeline file, which is a run of its own: `./other.yaml`.'),
  with: z.record(z.string(), z.unknown()).default({}).describe('Input of the step. Values may hold `${{ }}` expressions.'),
};
const how = {
  when,
  onError,
  tolerate: z
    .record(z.string(), threshold)
    .optional()
    .describe('Items that may end so without failing the step, by status: a share of all (`1%`) or a count.'),
  timeout,
  window,
};

/** Names that mean something else in every expression. */
const roots = new Set(['params', 'steps', 'run', 'optional', 'google', ...typeNames]);

/** What a loop goes over is one of these. */
const overs = ['items', 'rows', 'files', 'matrix', 'window'] as const;

export const forEach = z
  .strictObject({
    items: z
      .union([z.string(), z.array(z.unknown())])
      .optional()
      .describe('A list: written out, or an expression that gives one.'),
    rows: source
      .optional()
      .describe(
        'A table, of any length: its rows are read into the run store, and each chunk of them is worked through by a worker. The item is the row: `${{ item.name }}`.',
      ),
    files: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Files as they are, by a path or glob such as `inbox/**/*.pdf`: the item is `{ path, name, bytes, modified }`. Worked through as `rows` are.',
      ),
    key: z
      .string()
      .min(1)
      .optional()
      .describe(
        'With `rows`: the column that names each row, in the ledger and for a rerun. Without it a row is named by its place, from 0.',
      ),
    matrix: z
      .record(name, z.union([z.string(), z.array(z.unknown())]))
      .optional()
      .describe('Lists by name: the loop goes over every combination of their values.'),
    window: z
      .strictObject({ from: z.string(), to: z.string(), every: z.string() })
      .optional()
      .describe('A time, and the length of its parts: the loop goes over `{ from, to }` of each, in UTC.'),
    as: name
      .refine((value) => !roots.has(value), { error: 'this name means something else in expressions; take another' })
      .default('item')
      .describe('What expressions call the item: `${{ item.name }}`.'),
    parallel: z.int().min(1).max(100).optional().describe('Turns under way at a time. Default: 8.'),
  })
  .refine((value) => overs.filter((over) => value[over] !== undefined).length === 1, {
    error: `give one of ${overs.join(', ')}`,
    params: { about: 'fields', remedy: 'write items: with a list, or an expression that gives one' },
  })
  .refine(({ rows, key }) => key === undefined || rows !== undefined, {
    path: ['key'],
    error: 'a key names the rows of a table',
    params: { remedy: 'take the line out, or go over rows:' },
  })
  .describe('What a loop goes over: `items`, `rows`, `files`, `matrix` or `window`.');

type Turns = z.ZodType<{ [id: string]: FileStep | FileLoop }>;
const turns = (): Turns =>
  z
    .record(name, stepOrLoop)
    .refine((steps) => Object.keys(steps).length > 0, { error: 'a loop has at least one step' })
    .describe('Steps by id, done for each item. Ids are unique in the whole file.');
const gives = z
  .record(name, z.unknown())
  // They become columns, of which the engine ignores the case.
  .refine((named) => sameName(Object.keys(named)) === undefined, {
    error: 'two outputs have the same name when case is ignored; rename one of them',
  })
  .default({})
  .describe('What a turn gives: a row of `steps.ID.results` and `steps.ID.rows`. Without a line here the rows are not kept.');
const tolerateTurns = z
  .strictObject({ failed: threshold })
  .optional()
  .describe('Turns that may fail without failing the loop: a share of all (`1%`) or a count.');

/** What takes a step back: it follows from what stood on the step when it is done, so nothing is said of its needs. */
const undoStep = z.strictObject({ ...what, ...how });
const undoLoop = z.strictObject({
  forEach,
  get steps(): Turns {
    return turns();
  },
  outputs: gives,
  when,
  onError,
  tolerate: tolerateTurns,
});

/** The forms of an undo that have fields. */
export const undoForms = { undoStep, undoLoop };

const undo: z.ZodOptional<z.ZodType<'none' | FileUndo>> = z
  .union([z.literal('none'), undoStep, undoLoop])
  .meta({ title: 'An undo' })
  .register(forms, { of: (value) => (isObject(value) ? ('forEach' in value ? 2 : 1) : 0) })
  .optional()
  .describe(
    'What takes the step back, as a step or a loop without an id: done by `portolan undo RUN`, the last step first. It reads `steps.ID` of this step, and of those that it stands on. `none`: there is no way back.',
  );

export const step = z.strictObject({ ...what, needs, ...how, undo }).meta({ title: 'A step', description: 'One step of the pipeline.' });

export const loop = z
  .strictObject({
    forEach,
    get steps(): Turns {
      return turns();
    },
    outputs: gives,
    needs,
    when,
    onError,
    tolerate: tolerateTurns,
    undo,
  })
  .meta({ title: 'A loop', description: 'Steps that are done for each item of a list.' });

/** What has a line `forEach` is a loop, whatever else it has. */
export const stepOrLoop = z
  .union([step, loop])
  .register(forms, { of: (value) => (value !== null && typeof value === 'object' && 'forEach' in value ? 1 : 0) });

/** A pipeline file: what is checked, what editors complete, what the reference shows. */
export const pipelineFile = z
  .strictObject({
    name: z.string().regex(slugPattern, slugRule).max(64).describe('Name of the pipeline; runs are named after it.'),
    description: z.string().optional(),
    params: z.record(name, param).default({}).describe('Parameters by name, referred to as `${{ params.NAME }}`.'),
    connection: z
      .string()
      .min(1)
      .optional()
      .describe('Connection of `portolan.config.mts` that the steps use, unless the run names another.'),
    environments: z
      .record(z.string().regex(slugPattern, slugRule).max(64), environment)
      .default({})
      .describe('Connection and parameters by environment, which a run takes by `--env NAME`.'),
    schedule: schedule.optional(),
    defaults: defaults.optional(),
    steps: z
      .record(name, stepOrLoop)
      .refine((steps) => Object.keys(steps).length > 0, { error: 'a pipeline has at least one step' })
      .describe('Steps by id. Order follows from references and `needs`.'),
    finally: z
      .record(name, stepOrLoop)
      .default({})
      .describe('Steps by id that are carried out when all others have ended, however they did, also in a run that is cancelled.'),
    outputs: z.record(label, z.unknown()).default({}).describe('What the run gives back, by name.'),
    onFailure: z
      .literal('undo')
      .optional()
      .describe('`undo`: a run that fails is undone before it ends, as `portolan undo` does it. One that is cancelled is not.'),
    notify: notify.optional(),
    concurrency: concurrencyField
      .optional()
      .describe(
        'What only one run may hold at a time. Default: connection and dataset of the first step that finds or makes one by its slug, or writes one that the file or a parameter names by its id; null: nothing. What becomes of a run that finds it held: `concurrency: { key, when }`.',
      ),
  })
  .describe('A pipeline of Portolan.');

export type PipelineFile = z.output<typeof pipelineFile>;
export type FileStep = z.output<typeof step>;
export type FileLoop = z.output<typeof loop>;
/** A step or a loop that takes another one back. */
export type FileUndo = z.output<typeof undoStep> | z.output<typeof undoLoop>;
export type PipelineInput = z.input<typeof pipelineFile>;
/** `1%` is a share of 0.01, 10 a count. */
export const toThreshold = (value: string | number): { share: number } | { count: number } =>
  typeof value === 'number' ? { count: value } : { share: Number(value.slice(0, -1)) / 100 };
