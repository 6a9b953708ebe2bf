import pLimit from 'p-limit';
import { budgetOf, membersOfBudget } from '../../client/budgets-there.ts';
import { period } from '../../contracts/instance/budgets.ts';
import type { LedgerBudget, LedgerRun } from '../../pipelines/budgets/ledger-parts.ts';
import type { StepContext } from '../frame/context.ts';

const readsAtOnce = 4;

/** What all budgets of the caller say was spent, and until when their windows last, as one text, by which two reads are compared. */
export async function spentNow({ invoke, signal }: StepContext): Promise<string> {
  const { data } = await invoke('instance.budgets.list', {}, { signal });
  const spent = data.map(({ id, funding, memberLimits }) => `${id} ${funding.spentCents} ${memberLimits?.resetsAt ?? ''}`);
  return spent.sort((a, b) => (a < b ? -1 : 1)).join('\n');
}

/** The budgets that have paid for these runs, and all others of the caller. No field of a budget names its project: each is asked for. */
export async function ledgerBudgets(runs: readonly LedgerRun[], context: StepContext): Promise<LedgerBudget[]> {
  const { invoke, signal } = context;
  const projects = [...new Set(runs.flatMap(({ project }) => project ?? []))];
  const projectOf = new Map<string, string>();
  await pLimit(readsAtOnce).map(projects, async (projectId) => {
    const { data } = await invoke('instance.budgets.list', { scope: 'project', projectId }, { signal });
    if (data[0]) projectOf.set(data[0].id, projectId);
  });
  const { data } = await invoke('instance.budgets.list', {}, { signal });
  const names = data.map(({ name, scope }) => (scope.type === 'organization' ? 'organization' : name));
  return pLimit(readsAtOnce).map(data, async (each, at) => {
    const { id, name, spentCents, memberLimits } = budgetOf(each);
    const known = period.safeParse(memberLimits.period);
    const called = names[at] ?? name;
    return {
      id,
      name: names.filter((other) => other === called).length > 1 ? `${called} (${id})` : called,
      // Of a project that none of the runs was for nobody knows the id, and nothing asks for it.
      project: each.scope.type === 'organization' ? null : (projectOf.get(id) ?? id),
      spentCents,
      period: known.success ? known.data : null,
      resetsAt: memberLimits.resetsAt,
      members: await membersOfBudget(context, id),
    };
  });
}
