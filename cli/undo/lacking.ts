import type { Config } from '../../config/load.ts';
import type { Locate } from '../../pipelines/file/findings.ts';
import { placeInFile, type Plan, type PlanStep } from '../../pipelines/plan.ts';
import { UsageError } from '../frame/errors.ts';
import type { Missing } from '../start/check-embedding.ts';
import { checkFiles } from '../start/check-files.ts';
import { missingFor } from '../start/check-missing.ts';
import { planIfKnown } from '../start/check-used.ts';
import type { Launched } from '../start/compile-file.ts';

/** What an undo lacks here is reported without the text of its file, which may be another one by now. */
const nowhere: Locate = {
  key: () => ({ line: 1, column: 1 }),
  value: () => ({ line: 1, column: 1 }),
  line: () => undefined,
  rewritten: () => undefined,
};

/**
 * What is known before an undo that it lacks here: code of own steps, files, secrets. `elsewhere`: the files and secrets of the worker are
 * not looked at.
 */
export async function lackingFor(compiled: Launched, config: Config, { elsewhere }: { elsewhere: boolean }): Promise<Missing[]> {
  const { plan, baseDir } = compiled;
  const code = missingCode(compiled);
  return elsewhere ? code : [...code, ...(await missingFiles(plan, baseDir, config)), ...missingFor(compiled, config)];
}

/** Refuses an undo that lacks something, before it sends anything. */
export function refuseLacking(lacking: readonly Missing[]): void {
  if (lacking.length > 0)
    throw new UsageError(lacking.map(({ says }) => says).join('\n'), [...new Set(lacking.map(({ remedy }) => remedy))].join('\n'));
}

/** Steps whose code was there when the plan was made. */
function missingCode({ plan, open: { steps } }: Launched): Missing[] {
  const isGone = ({ kind, use, each }: PlanStep): boolean =>
    !each && (kind === 'call' || kind === 'sweep' || kind === 'poll') && !Object.hasOwn(steps, use);
  const remedy = 'put the file of the step back, or say otherwise how it is undone: --file FILE';
  const own = plan.steps.filter(isGone).map(({ id, use }) => ({ step: id, place: placeInFile(plan, id).join('.'), use }));
  const used = Object.values(plan.pipelines ?? {}).flatMap((sub) =>
    sub.plan.steps.filter(isGone).map(({ id, use }) => ({ step: id, place: `${sub.file}: steps.${id}`, use })),
  );
  return [...own, ...used].map(({ step, place, use }) => ({ step, says: `${place}: there is no step '${use}' here any more`, remedy }));
}

/** Files of its own sources, and of those of the pipelines that it runs, as far as their names are known. */
async function missingFiles(plan: Plan, baseDir: string, config: Config): Promise<Missing[]> {
  const found: Missing[] = [];
  for (const { step, of } of [{ step: '', of: plan }, ...runsOf(plan, baseDir)])
    for (const source of of.sources) {
      const findings = await checkFiles(source, of, { locate: nowhere, baseDir, value: undefined, given: [] }, config.root);
      const above = step === '' ? '' : `${placeInFile(plan, step).join('.')}: `;
      found.push(
        ...findings.map(({ path, message, remedy = '' }) => ({ step: step || source.step, says: `${above}${path}: ${message}`, remedy })),
      );
    }
  return found;
}

const runsOf = (plan: Plan, baseDir: string): { step: string; of: Plan }[] =>
  plan.steps.flatMap((step) => {
    const of = step.kind === 'pipeline' ? planIfKnown(step, plan, baseDir) : undefined;
    return of ? [{ step: step.id, of }] : [];
  });
