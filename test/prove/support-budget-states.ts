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

/** A state that budgets can be brought to: what the contract covers, amounts no less than what is spent. */
export function drawDesired(seed: number, { projects, members }: Ground, spent: ReadonlyMap<string, number>): Desired {
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
  const budgets = projects
    .filter(() => random() < 0.8)
    .map((project): DesiredBudget => ({
      project,
      amountCents: (spent.get(project) ?? 0) + upTo(20_000),
      ...maybe(() => ({ onExhausted: one(['block', 'notify'] as const) })),
      ...maybe(() => ({ renewal: one([null, { cadence: one(['daily', 'weekly', 'monthly'] as const), amountCents: 1 + upTo(300) }]) })),
      ...maybe(limited),
    }));
  const organization = random() < 0.3 ? limited() : undefined;
  return { others: 'keep', organization, budgets };
}
