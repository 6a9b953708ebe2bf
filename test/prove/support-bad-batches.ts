import { randomUUID } from 'node:crypto';
import { ApiError } from '../../client/errors.ts';
import { chance } from '../support/chance.ts';
import type { Ground } from './support-budget-states.ts';
import type { Settling } from './support-settling.ts';

type Call = { operation: 'instance.budgets.setMembers' | 'instance.budgets.update'; input: Record<string, unknown> };

/** A change of a budget with one thing in it that the service does not take, at any place; and the same without it. */
export function drawBadBatch(seed: number, budget: string, { members }: Ground): { bad: Call; good: Call } {
  const random = chance(seed);
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  if (random() < 0.5) {
    const entries = members.map(({ id: user }) => ({ user, limitCents: upTo(900) }));
    const wrong = random() < 0.5 ? { user: randomUUID(), limitCents: 5 } : { user: entries[0]!.user, limitCents: 7 };
    const of = (list: object[]): Call => ({ operation: 'instance.budgets.setMembers', input: { id: budget, members: list } });
    return { bad: of(entries.toSpliced(upTo(entries.length), 0, wrong)), good: of(entries) };
  }
  const change = {
    id: budget,
    amountCents: 5_000 + upTo(5_000),
    onExhausted: 'notify',
    renewal: { cadence: 'daily', amountCents: 1 + upTo(50) },
    memberLimits: { enabled: true, defaultCents: upTo(900), period: 'weekly' },
  };
  const wrong = [
    { amountCents: 900_000_000 },
    { renewal: { cadence: 'daily', amountCents: 0 } },
    { memberLimits: { enabled: true, defaultCents: 5, period: null } },
  ][upTo(2)];
  const of = (input: Record<string, unknown>): Call => ({ operation: 'instance.budgets.update', input });
  return { bad: of({ ...change, ...wrong }), good: of(change) };
}

/** Sends a change; true where it was refused as a whole, by a status of the text or of a body that does not fit. */
export async function isRefused({ invoke }: Settling, { operation, input }: Call): Promise<boolean> {
  try {
    await invoke(operation, input as never);
    return false;
  } catch (error) {
    if (error instanceof ApiError && error.status >= 400 && error.status < 500) return true;
    throw error;
  }
}

/** Everything that budgets are, and the members of the one that is written, as one text. */
export async function stateAround({ invoke, pages }: Settling, budget: string): Promise<string> {
  const { data } = await invoke('instance.budgets.list', {});
  const members: unknown[] = [];
  for await (const page of pages('instance.budgets.members', { id: budget, limit: 100 })) members.push(page.data);
  return JSON.stringify([data, members]);
}
