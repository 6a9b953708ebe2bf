import { references } from '../expressions/references.ts';
import { partsOf } from '../file/concurrency.ts';
import { formatPath, type Finding } from '../file/findings.ts';
import type { PipelineFile } from '../file/schema.ts';
import type { Concurrency } from '../lock.ts';
import type { StepOrLoop } from '../step.ts';
import type { Json } from '../../text/json.ts';
import { checkExpressions } from './check-expressions.ts';
import type { createFold } from './fold.ts';
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

/** What the file says of its key, with the parameters put in; null: its runs hold none. */
export function keyOf({ concurrency }: PipelineFile, fold: ReturnType<typeof createFold>): Partial<Concurrency> | null {
  if (concurrency === null) return null;
  const { key, when, at } = partsOf(concurrency);
  const folded = key === undefined ? undefined : fold(key, at);
  return {
    ...(folded === undefined ? {} : { key: typeof folded === 'string' ? folded : JSON.stringify(folded) }),
    ...(when === undefined ? {} : { when }),
  };
}

type Held = { concurrency: Partial<Concurrency> | null; steps: readonly { definition: StepOrLoop; with: unknown }[] };

/** What the run holds, by default the first dataset that it works on and that is known before it. */
export function heldKey({ concurrency, steps }: Held, connection: string | undefined): Concurrency | null {
  const known = steps.map(({ definition, with: input }) => ({ definition, with: knownOf(input as Json) }));
  const [key] = heldKeys({ concurrency, steps: known }, connection);
  return key === undefined ? null : { ...concurrency, key };
}

/** What a run may hold whose parameters are still open: the key of its file, or the datasets that its steps name. */
export function heldKeys({ concurrency, steps }: Held, connection: string | undefined): string[] {
  if (concurrency === null) return [];
  if (concurrency.key !== undefined) return [concurrency.key];
  return steps.flatMap(({ definition, with: input }) => {
    const slug = definition.concurrency?.(input);
    return slug === undefined || connection === undefined ? [] : [`${connection}/${slug}`];
  });
}
