import { references, stepsIn } from '../expressions/references.ts';
import { hasExpression } from '../expressions/scan.ts';
import { partsOf } from '../file/concurrency.ts';
import { formatPath, type Finding, type Locate } from '../file/findings.ts';
import type { PipelineFile } from '../file/schema.ts';
import { asText } from '../../text/as-text.ts';
import { keyFault, type Concurrency } from '../lock.ts';
import type { SubPlan } from '../plan.ts';
import type { StepOrLoop } from '../step.ts';
import type { Json } from '../../text/json.ts';
import { checkExpressions } from './check-expressions.ts';
import type { Fold } from './fold.ts';
import { known as knownOf } from '../file/embedded-expressions.ts';
import type { Checks } from './place.ts';

/** The key is taken before the first step: only parameters are known then. */
export function checkConcurrency({ concurrency }: PipelineFile, checks: Checks): { findings: Finding[]; params: string[] } {
  const { key, at } = partsOf(concurrency);
  if (key === undefined) return { findings: [], params: [] };
  const { findings, params } = checkExpressions(key, at, checks);
  if (findings.length > 0) return { findings, params };
  const { steps, run } = references(key);
  if (steps.length === 0 && run.length === 0) return { findings, params };
  const message = `'${formatPath(at)}' is a text known before the run: it may refer to params only`;
  const remedy = 'write a text, or refer to a parameter';
  return { findings: [{ code: 'invalid-value', message, path: formatPath(at), remedy, ...checks.locate.value(at) }], params };
}

/** A key of no length, or too long, shows where its parameters are put in. */
export function checkKey({ concurrency }: PipelineFile, held: Partial<Concurrency> | null, locate: Locate): Finding[] {
  const { key, at } = partsOf(concurrency);
  if (key === undefined || held?.key === undefined || !hasExpression(key) || hasExpression(held.key)) return [];
  const fault = keyFault(`'${formatPath(at)}'`, held.key);
  return fault ? [{ code: 'invalid-value', ...fault, path: formatPath(at), ...locate.value(at) }] : [];
}

/** What the file says of its key, with the parameters put in; null: its runs hold none. */
export function keyOf({ concurrency }: PipelineFile, fold: Fold): Partial<Concurrency> | null {
  if (concurrency === null) return null;
  const { key, when, at } = partsOf(concurrency);
  return {
    ...(key === undefined ? {} : { key: asText(fold(key, at)) }),
    ...(when === undefined ? {} : { when }),
  };
}

type Held = { concurrency: Partial<Concurrency> | null; steps: readonly { definition: StepOrLoop; with: unknown }[] };

/** What the run holds, by default the first dataset that it makes or writes and that is known before it. */
export function heldKey({ concurrency, steps }: Held, connection: string | undefined): Concurrency | null {
  if (concurrency === null) return null;
  const known = steps.map(({ definition, with: input }) => ({ definition, with: knownOf(input as Json) }));
  const key = concurrency.key ?? datasetKeys(known, connection)[0];
  return key === undefined ? null : { ...concurrency, key };
}

/** What a run may hold whose parameters are still open: the key of its file, or the datasets that its steps name. */
export function openKeys({ concurrency, steps }: Held, connection: string | undefined): Pick<SubPlan, 'key' | 'holds' | 'whenHeld'> {
  if (concurrency === null) return { holds: [] };
  const { key, when } = concurrency;
  return {
    ...(key === undefined ? { holds: datasetKeys(steps, connection) } : { key, holds: [] }),
    ...(when === undefined ? {} : { whenHeld: when }),
  };
}

/** Connection and dataset of steps that make or write one that is known by its slug or id. */
export const datasetKeys = (steps: Held['steps'], connection: string | undefined): string[] =>
  steps.flatMap(({ definition, with: input }) => {
    const dataset = definition.concurrency?.(input) ?? writtenById(definition, input);
    return dataset === undefined || connection === undefined ? [] : [`${connection}/${dataset}`];
  });

/** The dataset that a step writes into, where its file or whoever starts the run names it by its id, and no step gives it. */
function writtenById({ dataset }: StepOrLoop, input: unknown): string | undefined {
  if (dataset?.as !== 'writes') return undefined;
  const id = (input as { [field: string]: unknown } | undefined)?.[dataset.field];
  return typeof id === 'string' && stepsIn(id).length === 0 ? id : undefined;
}
