import { pathToFileURL } from 'node:url';
import type { z } from 'zod';
import { importDefault } from '../file/import-module.ts';
import { making, whereIn } from '../file/where-in.ts';
import { fields } from '../file/schema-fields.ts';
import type { Own, Step } from '../step.ts';
import { steps as builtin } from '../steps/table.ts';
import { checkSchemas } from './check-schemas.ts';
import { codeVersion } from './code-version.ts';
import type { OwnCode, OwnSweep } from './define.ts';
import { kindOf, ownSchemas, type OwnKind } from './own-schemas.ts';
import { OwnStepError } from './own-step-error.ts';
import { NoColumn, resultColumns } from './result-columns.ts';
import { toPoll, toStep } from './single.ts';
import { toSweep } from './sweep.ts';

/** How each kind becomes a step in the shape of a built-in one; the default export has been checked to be of it. */
const made: { [Kind in OwnKind]: (own: Own<any>) => Step } = { call: toStep, poll: toPoll, sweep: toSweep };

/** Loads own steps from their files, in this order, each in so many milliseconds. Fails with `OwnStepError` that names file, problem and remedy. */
export async function loadOwnSteps(files: readonly string[], longestMs?: number): Promise<Step[]> {
  const steps: Step[] = [];
  const from = new Map<string, string>();
  for (const file of files) {
    const step = await loadOwnStep(file, longestMs);
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

async function loadOwnStep(file: string, longestMs: number | undefined): Promise<Step> {
  const loaded = await importDefault(pathToFileURL(file).href, 'defineStep', longestMs);
  if ('problem' in loaded) throw new OwnStepError(file, loaded.problem, loaded);
  const kind = kindOf(loaded.value);
  const checked = ownSchemas[kind].safeParse(loaded.value);
  if (!checked.success)
    throw new OwnStepError(file, problemOf(checked.error, loaded.value), {
      remedy: 'see `portolan step new NAME` for a step that works',
      at: await whereIn(file, field(fieldOf(checked.error)), making),
    });
  const code = loaded.value as OwnCode;
  const wrong = checkSchemas(code);
  if (wrong)
    throw new OwnStepError(file, wrong.problem, {
      remedy: wrong.remedy,
      at: await whereIn(file, field(wrong.field), field('input'), making),
    });
  if (fields(checked.data.input) === undefined)
    throw new OwnStepError(file, 'input must be an object schema: z.strictObject({ … })', { at: await whereIn(file, field('input')) });
  if ('result' in code) await checkResult(file, code);
  const version = codeVersion(file);
  return { ...made[kind]({ file, version, code }), version };
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
