import pLimit from 'p-limit';
import type { CallOptions } from './client.ts';
import type { Calls, OutputOf } from './invoke.ts';

/** Reads in flight at a time, of one caller. */
const readsAtOnce = 4;

/** A member of a budget as the service has it. `limitCents`: the own limit; `spentCents`: in the window of the budget's limits. */
export type MemberThere = { id: string; email: string | null; limitCents: number | null; spentCents: number };

/** A budget as the service has it. `members`: where somebody asked for them. */
export type BudgetThere = {
  id: string;
  /** When the service said so: epoch milliseconds by its own clock, whole seconds; by that of this host where its answer has no `Date`. */
  at: number;
  name: string;
  amountCents: number;
  spentCents: number;
  onExhausted: string | null;
  renewal: { cadence: string; amountCents: number } | null;
  memberLimits: { enabled: boolean; defaultCents: number | null; period: string | null; resetsAt: string | null };
  members?: MemberThere[];
};

/** `members`: of a project without a budget, which will be those of the budget. */
export type ProjectThere = { id: string; name: string; budget?: BudgetThere; members?: MemberThere[] };

/** Budgets that the caller administers. `organization`: absent where that is not one of them; `others`: of projects that nobody named. */
export type BudgetsThere = {
  organization?: BudgetThere;
  /** By how the caller calls them; without those that are not there. */
  projects: ReadonlyMap<string, ProjectThere>;
  /** Names that several projects have, and their ids. */
  ambiguous: ReadonlyMap<string, string[]>;
  others: BudgetThere[];
};

export type Reading = Pick<Calls, 'invoke' | 'pages'> & { signal: AbortSignal };

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** An answer, and when it was given. */
async function dated<T>(signal: AbortSignal, ask: (options: CallOptions) => Promise<T>): Promise<{ answer: T; at: number }> {
  let at: number | undefined;
  const answer = await ask({ signal, onAnswer: (said) => (at = said.at) });
  return { answer, at: at ?? Date.now() };
}

export const budgetOf = ({
  id,
  name,
  funding,
  onExhausted,
  memberLimits,
}: OutputOf<'instance.budgets.get'>): Omit<BudgetThere, 'at' | 'members'> => ({
  id,
  name: name ?? id,
  amountCents: funding.amountCents,
  spentCents: funding.spentCents,
  onExhausted: onExhausted ?? null,
  renewal: funding.renewal ? { cadence: funding.renewal.cadence, amountCents: funding.renewal.amountCents } : null,
  memberLimits: {
    enabled: memberLimits?.enabled ?? false,
    defaultCents: memberLimits?.defaultCents ?? null,
    period: memberLimits?.period ?? null,
    resetsAt: memberLimits?.resetsAt ?? null,
  },
});

/** All members of a budget. */
export async function membersOfBudget({ pages, signal }: Reading, id: string): Promise<MemberThere[]> {
  const found: MemberThere[] = [];
  for await (const { data } of pages('instance.budgets.members', { id, limit: 100 }, { signal }))
    for (const { id: user, email, limitCents, spentCents } of data)
      found.push({ id: user, email: email ?? null, limitCents: limitCents ?? null, spentCents });
  return found;
}

/** Members of a project that has no budget yet: nobody has a limit. */
async function membersOfProject({ pages, signal }: Reading, id: string): Promise<MemberThere[]> {
  const found: MemberThere[] = [];
  for await (const { data } of pages('instance.projects.members', { id, limit: 100 }, { signal }))
    for (const { id: user, email } of data) found.push({ id: user, email: email ?? null, limitCents: null, spentCents: 0 });
  return found;
}

/** The budget of an id. */
export async function budgetById({ invoke, signal }: Reading, id: string): Promise<BudgetThere> {
  const { answer, at } = await dated(signal, (options) => invoke('instance.budgets.get', { id }, options));
  return { ...budgetOf(answer), at };
}

/** The budget of a project, undefined where it has none. No field of a budget names its project: the list is asked for one project. */
export async function budgetOfProject({ invoke, signal }: Reading, projectId: string): Promise<BudgetThere | undefined> {
  const { answer, at } = await dated(signal, (options) => invoke('instance.budgets.list', { scope: 'project', projectId }, options));
  const [budget] = answer.data;
  return budget && { ...budgetOf(budget), at };
}

/** Projects by their ids, or by their names where these say which one is meant. */
async function projectsNamed(
  reading: Reading,
  names: readonly string[],
): Promise<{ known: Map<string, ProjectThere>; ambiguous: Map<string, string[]> }> {
  const { invoke, pages, signal } = reading;
  const known = new Map<string, ProjectThere>();
  const ambiguous = new Map<string, string[]>();
  const byName = new Map<string, ProjectThere[]>();
  if (names.some((name) => !uuid.test(name)))
    for await (const { data } of pages('instance.projects.list', { limit: 100 }, { signal }))
      for (const { id, name } of data) byName.set(name, [...(byName.get(name) ?? []), { id, name }]);
  const missing = (error: unknown): undefined => {
    if (error instanceof Error && 'status' in error && error.status === 404) return undefined;
    throw error;
  };
  await pLimit(readsAtOnce).map(names, async (called) => {
    if (uuid.test(called)) {
      const project = await invoke('instance.projects.get', { id: called }, { signal }).catch(missing);
      if (project) known.set(called, { id: project.id, name: project.name });
      return;
    }
    const [first, ...more] = byName.get(called) ?? [];
    if (first && more.length === 0) known.set(called, first);
    else if (first)
      ambiguous.set(
        called,
        [first, ...more].map(({ id }) => id),
      );
  });
  return { known, ambiguous };
}

/** The budgets of these projects and all others that the caller administers; with members of those that `withMembers` says. */
export async function readBudgets(
  reading: Reading,
  named: readonly string[],
  withMembers: (called: string | null) => boolean,
): Promise<BudgetsThere> {
  const { invoke, signal } = reading;
  const { known, ambiguous } = await projectsNamed(reading, named);
  await pLimit(readsAtOnce).map([...known], async ([called, project]) => {
    const budget = await budgetOfProject(reading, project.id);
    const asked = withMembers(called);
    if (budget) project.budget = asked ? { ...budget, members: await membersOfBudget(reading, budget.id) } : budget;
    else if (asked) project.members = await membersOfProject(reading, project.id);
  });
  const { answer, at } = await dated(signal, (options) => invoke('instance.budgets.list', {}, options));
  const { data } = answer;
  const organization = data.find(({ scope }) => scope.type === 'organization');
  const mine = new Set([...known.values()].map(({ budget }) => budget?.id));
  return {
    ...(organization && {
      organization: {
        ...budgetOf(organization),
        at,
        ...(withMembers(null) && { members: await membersOfBudget(reading, organization.id) }),
      },
    }),
    projects: known,
    ambiguous,
    others: data.filter(({ id, scope }) => scope.type === 'project' && !mine.has(id)).map((budget) => ({ ...budgetOf(budget), at })),
  };
}
