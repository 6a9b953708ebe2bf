import type { OutputOf } from '../../client/invoke.ts';
import type { Desired, DesiredBudget } from '../../pipelines/budgets/desired.ts';
import { chance } from '../support/chance.ts';
import type { Stack } from '../support/stack.ts';
import type { Settling } from './support-settling.ts';

/** Projects with members, whose budgets are drawn. */
export type Ground = { projects: string[]; members: { id: string; email: string }[] };

export const makeGround = async (stack: Stack, { invoke }: Settling, name: string, projects: number): Promise<Ground> => {
  const ids = await Promise.all(
    Array.from({ length: projects }, async (_, at) => (await invoke('instance.projects.create', { name: `${name} ${at}` })).id),
  );
  const members = await Promise.all(
    ['ada', 'bob', 'eve'].map(async (who) => {
      const email = `${who}.${name.toLowerCase()}@example.com`;
      return { email, id: (await stack.control.addUser({ name: who, email })).id };
    }),
  );
  for (const id of ids)
    await invoke('instance.projects.setMembers', { id, members: members.map(({ id: user }) => ({ user, role: 'editor' as const })) });
  return { projects: ids, members };
};

type Budget = OutputOf<'instance.budgets.get'>;

/** The budgets of projects as they are, by project. */
export async function budgetsThere({ invoke }: Settling, { projects }: Ground): Promise<Map<string, Budget>> {
  const found = new Map<string, Budget>();
  for (const projectId of projects) {
    const { data } = await invoke('instance.budgets.list', { projectId });
    if (data[0]) found.set(projectId, data[0]);
  }
  return found;
}

/** A state that budgets can be brought to: what the contract covers, amounts no less than what is spent; now and then whole renewals less. */
export function drawDesired(seed: number, { projects, members }: Ground, there: ReadonlyMap<string, Budget>): Desired {
  const random = chance(seed);
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  const one = <T>(of: readonly T[]): T => of[upTo(of.length - 1)]!;
  const maybe = <T extends object>(part: () => T): T | object => (random() < 0.5 ? part() : {});
  const limits = (): NonNullable<DesiredBudget['memberLimits']> => ({
    enabled: true,
    defaultCents: one([null, upTo(500)]),
    period: one(['daily', 'weekly', 'monthly'] as const),
  });
  const own = () =>
    Object.fromEntries(members.filter(() => random() < 0.6).map(({ id, email }) => [one([id, email]), one([null, upTo(900)])]));
  const limited = () => ({ memberLimits: limits(), ...maybe(() => ({ members: own() })) });
  const amountOf = (project: string): number => {
    const { amountCents = 0, spentCents = 0, renewal } = there.get(project)?.funding ?? {};
    const renewals = renewal ? Math.floor((amountCents - spentCents) / renewal.amountCents) : 0;
    return renewals > 0 && random() < 0.5 ? amountCents - (1 + upTo(renewals - 1)) * renewal!.amountCents : spentCents + upTo(20_000);
  };
  const budgets = projects
    .filter(() => random() < 0.8)
    .map((project): DesiredBudget => ({
      project,
      amountCents: amountOf(project),
      ...maybe(() => ({ onExhausted: one(['block', 'notify'] as const) })),
      ...maybe(() => ({ renewal: one([null, { cadence: one(['daily', 'weekly', 'monthly'] as const), amountCents: 1 + upTo(300) }]) })),
      ...maybe(limited),
    }));
  const organization = random() < 0.3 ? limited() : undefined;
  return { others: 'keep', organization, budgets };
}

/** How many of these budgets are not as they should be, by what the service says of each. */
export async function notReached(settling: Settling, ground: Ground, { budgets, organization }: Desired): Promise<number> {
  const there = await budgetsThere(settling, ground);
  const unlike = async (budget: Budget | undefined, wanted: Partial<DesiredBudget>): Promise<boolean> => {
    if (!budget) return true;
    const { amountCents, onExhausted, renewal, memberLimits, members } = wanted;
    const { funding, memberLimits: limits } = budget;
    const fields: [unknown, unknown][] = [
      [amountCents, funding.amountCents],
      [onExhausted, budget.onExhausted],
      [renewal?.cadence, renewal && funding.renewal?.cadence],
      [renewal?.amountCents, renewal && funding.renewal?.amountCents],
      [renewal === null ? null : undefined, funding.renewal ?? null],
      [memberLimits?.enabled, limits?.enabled],
      [memberLimits?.defaultCents, limits?.defaultCents ?? null],
      [memberLimits?.period, limits?.period],
    ];
    if (fields.some(([should, is]) => should !== undefined && should !== is)) return true;
    if (members === undefined) return false;
    const { data } = await settling.invoke('instance.budgets.members', { id: budget.id, limit: 100 });
    return data.some(({ id, email, limitCents }) => (limitCents ?? null) !== (members[id] ?? members[email ?? ''] ?? null));
  };
  const found = await Promise.all([
    ...budgets.map(async (wanted) => unlike(there.get(wanted.project), wanted)),
    ...(organization ? [unlike(await settling.invoke('instance.budgets.get', { id: 'organization' }), organization)] : []),
  ]);
  return found.filter(Boolean).length;
}
