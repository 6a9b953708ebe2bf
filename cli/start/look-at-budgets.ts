import { join } from 'node:path';
import { readBudgets } from '../../client/budgets-there.ts';
import { listFiles } from '../../child/listed-files.ts';
import { createCalls } from '../../client/invoke.ts';
import { resolveService } from '../../config/connections.ts';
import { createGates } from '../../config/gates.ts';
import type { Config } from '../../config/load.ts';
import { BadInput } from '../../errors/classes.ts';
import { compareFiles } from '../../pipelines/budgets/compare-files.ts';
import { hasExpression } from '../../pipelines/expressions/scan.ts';
import type { Plan } from '../../pipelines/plan.ts';
import type { BudgetFacts } from '../../pipelines/step.ts';
import { rootOf } from '../../runs/find.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { knownAmounts } from '../../store/known-amounts.ts';
import { definition as compare } from '../../pipelines/steps/budgets/compare.ts';
import type { Refused } from './not-asked.ts';
import { notRead } from './not-read.ts';

/** Time that all reads of one step have, and one of them: of hundreds of projects it is not enough, and nothing is known. */
const longestMs = { all: 60_000, one: 10_000 };

/** What differs of the budgets that the steps of a plan compare, by step; a file that is wrong, or a service that does not answer, is the reason why nobody knows. */
export async function lookAtBudgets(
  plan: Plan,
  config: Config,
  aborted: AbortSignal,
  refused?: Refused,
): Promise<ReadonlyMap<string, BudgetFacts>> {
  const found = new Map<string, BudgetFacts>();
  for (const { id, use, with: input, connections } of plan.steps) {
    const desired = use === compare.name ? (input as { desired?: unknown }).desired : undefined;
    if (typeof desired !== 'string' || hasExpression(desired)) continue;
    try {
      found.set(id, await look(desired, config, connections['instance'], AbortSignal.any([aborted, AbortSignal.timeout(longestMs.all)])));
    } catch (error) {
      aborted.throwIfAborted();
      if (!(error instanceof BadInput)) refused?.('instance', connections['instance'], error);
      found.set(id, error instanceof BadInput ? { because: error.message } : notRead('the budgets', error as Error));
    }
  }
  return found;
}

async function look(pattern: string, config: Config, name: string | undefined, signal: AbortSignal): Promise<BudgetFacts> {
  const { files } = await listFiles(pattern);
  const service = () => resolveService(config, 'instance', name);
  return compareFiles(
    files,
    async (projects, withMembers) => {
      const { url: baseUrl, token } = service();
      const permits = createGates(config)(service());
      const calls = createCalls(() => ({ baseUrl, token, permits, timeoutMs: longestMs.one }));
      return readBudgets({ ...calls, signal }, projects, withMembers);
    },
    // What runs remember stands beside their folders.
    async (budget) => knownAmounts(createRunStore(join(rootOf(config.store), 'plan')), service().url).of(budget),
  );
}
