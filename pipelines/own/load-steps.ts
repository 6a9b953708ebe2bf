import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { EffectClass } from '../../contracts/endpoint.ts';
import { isOperation } from '../../contracts/index.ts';
import { importDefault } from '../file/import-module.ts';
import { making, whereIn } from '../file/where-in.ts';
import { codeVersion } from './code-version.ts';
import type { OwnStep, OwnSweep } from './define.ts';
import { NoColumn, resultColumns } from './result-columns.ts';
import { toSweep } from './sweep.ts';
import { fields } from '../file/schema-fields.ts';
import type { Own, Step } from '../step.ts';
import { steps as builtin } from '../steps/table.ts';
import { attemptMsOf, ownFields, ownForecast } from './own-fields.ts';

/** A file with an own step that cannot be used. */
export class OwnStepError extends Error {
  override readonly name = 'OwnStepError';
  readonly file: string;
  readonly remedy: string | undefined;
  /** `at`: `file:line`, `file:line:column`, in this file or in one that it imports. */
  constructor(file: string, problem: string, { remedy, at }: { remedy?: string; at?: string } = {}) {
    const within = at?.startsWith(`${file}:`) ?? false;
    super(`${within ? at : file}: ${problem}${at === undefined || within ? '' : ` (${at})`}${remedy === undefined ? '' : `; ${remedy}`}`);
    this.file = file;
    this.remedy = remedy;
  }
}

/** Schemas may come from another copy of zod than ours: recognised by their shape, not by their class. */
const schema = z.custom<z.ZodType>(
  (value) => typeof value === 'object' && value !== null && '_zod' in value && 'safeParse' in value,
  'a zod schema: z.object({ … })',
);

const both = {
  name: z.string().regex(/^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/, 'noun.verb in lower case, such as acme.greet'),
  summary: z.string().optional(),
  input: schema,
  effect: z.enum(['safe', 'idempotent', 'reconcile', 'never'] satisfies EffectClass[]),
  paths: z.array(z.string()).optional(),
  example: z.record(z.string(), z.unknown()).optional(),
};
const code = (usage: string) => z.custom((value) => typeof value === 'function', `a function: ${usage}`);

const operation = z.string().refine(isOperation, { error: 'not an operation' });

/** What code does, and how often. */
const counts = <M extends z.ZodType>(most: M) => ({
  acts: z.record(z.string().regex(/^[a-z][\w -]*$/, 'a word for what is done, such as charge'), most).optional(),
  operations: z
    .union([z.array(operation), z.record(operation, most)], { error: 'a list of operations, or the most calls of each' })
    .optional(),
});

const times = z.int({ error: 'a number of times; `perItem` is for sweeps' }).min(1);

const ownStep = z.strictObject({
  ...both,
  ...counts(times),
  output: schema,
  attemptSeconds: z.number().positive().max(86_400).optional(),
  run: code('async run(input, context) { … }'),
});

const ownSweep = z.strictObject({
  ...both,
  ...counts(z.union([times, z.literal('perItem')], { error: "'perItem', or a number of times while items are listed" })),
  items: code('async items(input, context) { … }'),
  key: code('key(item) { … }').optional(),
  each: code('async each(item, context) { … }'),
  result: schema.optional(),
  attemptSeconds: z.number().positive().max(86_400).optional(),
  attempts: z.int().min(1).max(1_000).optional(),
  limit: z.strictObject({ count: z.int().min(1), seconds: z.number().positive().max(86_400) }).optional(),
  atOnce: z.int().min(1).max(256).optional(),
  window: z.int().min(1).max(100).optional(),
  itemSeconds: z.number().positive().max(86_400).optional(),
  chunk: z.int().min(1).max(100_000).optional(),
});

/** Loads own steps from their files, in this order. Fails with `OwnStepError` that names file, problem and remedy. */
export async function loadOwnSteps(files: readonly string[]): Promise<Step[]> {
  const steps: Step[] = [];
  const from = new Map<string, string>();
  for (const file of files) {
    const step = await loadOwnStep(file);
    if (Object.hasOwn(builtin, step.name))
      throw new OwnStepError(file, `'${step.name}' is the name of a built-in step`, {
        remedy: 'begin it with a word of your own: acme.…',
        at: await whereIn(file, field('name')),
      });
    const other = from.get(step.name);
    if (other !== undefined)
      throw new OwnStepError(file, `'${step.name}' is the step of ${other} already`, {
        remedy: 'give one of them another name',
        at: await whereIn(file, field('name')),
      });
    from.set(step.name, file);
    steps.push(step);
  }
  return steps;
}

async function loadOwnStep(file: string): Promise<Step> {
  const loaded = await importDefault(pathToFileURL(file).href, 'defineStep');
  if ('problem' in loaded) throw new OwnStepError(file, loaded.problem, loaded);
  const sweeps = typeof loaded.value === 'object' && loaded.value !== null && 'each' in loaded.value;
  const checked = (sweeps ? ownSweep : ownStep).safeParse(loaded.value);
  if (!checked.success)
    throw new OwnStepError(file, problemOf(checked.error, loaded.value), {
      remedy: 'see `portolan step new NAME` for a step that works',
      at: await whereIn(file, field(fieldOf(checked.error)), making),
    });
  if (fields(checked.data.input) === undefined)
    throw new OwnStepError(file, 'input must be an object schema: z.strictObject({ … })', { at: await whereIn(file, field('input')) });
  if (sweeps) await checkResult(file, loaded.value as OwnSweep);
  const where = { file, version: codeVersion(file) };
  const step = sweeps ? toSweep({ ...where, code: loaded.value as OwnSweep }) : toStep({ ...where, code: loaded.value as OwnStep });
  return { ...step, version: where.version };
}

async function checkResult(file: string, { result }: OwnSweep): Promise<void> {
  try {
    if (result) resultColumns(result);
  } catch (error) {
    if (!(error instanceof NoColumn)) throw error;
    throw new OwnStepError(file, error.message, { at: await whereIn(file, field('result')) });
  }
}

/** Where a field of a step is written. */
const field = (name: string): RegExp => new RegExp(`\\b${name}\\b\\s*[:(,]`);

/** The field of a step that is wrong, or too much. */
function fieldOf({ issues: [issue] }: z.ZodError): string {
  return String(issue!.path[0] ?? (issue!.code === 'unrecognized_keys' ? issue.keys[0] : ''));
}

function problemOf(error: z.ZodError, value: unknown): string {
  if (typeof value !== 'object' || value === null) return 'its default export is not a step: write `export default defineStep({ … })`';
  const { path, message, code } = error.issues[0]!;
  const field = path.join('.');
  if (field !== '' && !Object.hasOwn(value, path[0] ?? '')) return `the step has no '${field}'`;
  return code === 'unrecognized_keys' ? `the step has an unknown field: ${message}` : `'${field}' of the step: ${message}`;
}

const day = 86_400_000;

/** Code that does not end in its time is ended by its worker, which needs a moment to find where it is; the server would say nothing of that. */
const graceMs = 15_000;

/** An own step in the shape of a built-in one: a call of one activity. */
export function toStep(step: Own<OwnStep>): Step {
  const { code: own } = step;
  const fields = ownFields(step);
  return {
    ...fields,
    kind: 'call',
    output: own.output,
    timeouts: { attemptMs: attemptMsOf(own) + graceMs, deadlineMs: day },
    forecast: () => ownForecast(own, fields.summary),
  };
}
