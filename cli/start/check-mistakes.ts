import type { Config } from '../../config/load.ts';
import { isCertain } from '../../pipelines/forecast/certain.ts';
import { forecast, mistakesOf, type Forecast } from '../../pipelines/forecast/forecast.ts';
import { folderOf, openly } from '../../pipelines/instantiate.ts';
import type { BudgetFacts } from '../../pipelines/step.ts';
import { UsageError } from '../frame/errors.ts';
import { planIfKnown } from './check-used.ts';
import type { Launched } from './compile-file.ts';
import { lookAtBudgets } from './look-at-budgets.ts';
import { lookAtFewRows } from './look-at-few-rows.ts';

/** What is wrong beside the file itself, in what a step compares before anything is sent, or in the rows of a map; of pipelines that steps run too. */
async function looked(
  { plan, open, baseDir }: Pick<Launched, 'plan' | 'open' | 'baseDir'>,
  config: Config,
  signal: AbortSignal,
): Promise<Forecast> {
  const pipelines = new Map<string, Forecast>();
  // Of others nobody asks the service: what it says of them would refuse no run.
  const certain = plan.steps.filter((step) => isCertain(step, plan, open.steps));
  for (const step of certain.filter(({ kind }) => kind === 'pipeline')) {
    const sub = plan.pipelines![String(step.version)]!;
    const made = planIfKnown(step, plan, baseDir) ?? openly(sub, plan);
    pipelines.set(step.id, await looked({ plan: made, open, baseDir: folderOf(sub) }, config, signal));
  }
  const budgets: ReadonlyMap<string, BudgetFacts> = await lookAtBudgets({ ...plan, steps: certain }, config, signal);
  const rows = await lookAtFewRows(plan, open.steps, config, signal);
  return forecast(plan, open.steps, { table: () => undefined, ...rows, budgets, pipelines });
}

/** Refuses a run that `plan` says will fail, before it sends anything. Exit code 2. */
export async function refuseMistakes(compiled: Launched, config: Config, signal: AbortSignal): Promise<void> {
  const mistakes = mistakesOf(await looked(compiled, config, signal));
  if (mistakes.length > 0) throw new UsageError(mistakes.join('\n'), 'mend these, then start again: portolan plan FILE shows them too');
}
