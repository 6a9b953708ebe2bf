import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { settle, type SettleContext } from '../../activities/budgets/settle.ts';
import { readBudgets } from '../../client/budgets-there.ts';
import { createCalls } from '../../client/invoke.ts';
import { createPermits } from '../../client/permits.ts';
import { askedOf } from '../../pipelines/budgets/asked.ts';
import type { Desired } from '../../pipelines/budgets/desired.ts';
import { differencesOf } from '../../pipelines/budgets/differences.ts';
import { nameOfDifference, type Difference } from '../../pipelines/budgets/difference.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { openIntents } from '../../store/intents.ts';
import type { Stack } from '../support/stack.ts';

/** What steps of budgets do, without a run around it: a thousand times in a minute. */
export function createSettling({ url, adminKeys, state }: Stack) {
  const { signal } = new AbortController();
  const calls = createCalls(() => ({ baseUrl: url, token: adminKeys.instance, permits: createPermits() }));

  /** A run store's folder of its own, with the journal of one activity; `compare: false`: what is there is not looked at. */
  const run = (compare: boolean): SettleContext & { close: () => Promise<void> } => {
    const folder = join(state, 'runs', `settling-${randomUUID()}`);
    mkdirSync(folder, { recursive: true });
    const store = createRunStore(folder);
    const intents = openIntents(store, ['apply'], 'first');
    return {
      ...calls,
      signal,
      store,
      intents: () => intents,
      lookUp: true,
      compare,
      effectsSent: () => 0,
      step: 'apply',
      connection: () => ({ settleMs: 0, url }),
      close: () => intents.close(),
    };
  };
  const compared = async (desired: Desired): Promise<Difference[]> => {
    const { projects, withMembers } = askedOf(desired);
    // Nothing is renewed meanwhile: no amount was seen before.
    const found = differencesOf(desired, await readBudgets({ ...calls, signal }, projects, withMembers), new Map());
    if ('problems' in found) throw new Error(found.problems.join('; '));
    return found.differences;
  };
  return {
    ...calls,
    compared,
    /** Settles differences as the step does; returns how many of them it had to send. */
    async settle(differences: readonly Difference[], { compare = true } = {}): Promise<number> {
      const context = run(compare);
      let applied = 0;
      try {
        for (const each of differences) if ((await settle(each, nameOfDifference(each), context)) === 'applied') applied++;
      } finally {
        await context.close();
      }
      return applied;
    },
  };
}

export type Settling = ReturnType<typeof createSettling>;
