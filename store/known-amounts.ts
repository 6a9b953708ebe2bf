import type { AmountSeen } from '../pipelines/budgets/renewed.ts';
import type { RunStore } from './run-store.ts';

/** Since when budgets of a service have had the amounts that files name: for all runs of the store. */
export const knownAmounts = (store: Pick<RunStore, 'recall' | 'remember'>, url: string) => {
  const key = (budget: string): string => JSON.stringify(['amount', url, budget]);
  return {
    of: async (budget: string): Promise<AmountSeen | undefined> => store.recall<AmountSeen>(key(budget)),
    set: async (budget: string, seen: AmountSeen): Promise<void> => store.remember(key(budget), seen),
  };
};
