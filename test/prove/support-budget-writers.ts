import { ChangedMeanwhile } from '../../errors/classes.ts';
import type { Difference } from '../../pipelines/budgets/difference.ts';
import type { Settling } from './support-settling.ts';

/**
 * So many writers at once, each of which adds a cent to a budget: it looks what is there, and settles the difference; where somebody else
 * has written meanwhile it begins anew. Returns cents that writers say they have added, and those that are not there.
 */
export async function addCents(
  { invoke, settle }: Settling,
  budgets: readonly string[],
  { writers, compare }: { writers: number; compare: boolean },
): Promise<{ added: number; lost: number; again: number }> {
  const amountOf = async (id: string): Promise<number> => (await invoke('instance.budgets.get', { id })).funding.amountCents;
  const sum = async (): Promise<number> => (await Promise.all(budgets.map(amountOf))).reduce((total, cents) => total + cents, 0);
  const before = await sum();
  let added = 0;
  let again = 0;
  const write = async (id: string): Promise<void> => {
    for (;;) {
      const from = await amountOf(id);
      const difference: Difference = {
        kind: 'funded',
        budget: id,
        id,
        project: null,
        from: { amountCents: from },
        to: { amountCents: from + 1 },
      };
      try {
        // What is there already was added by another one.
        if ((await settle([difference], { compare })) === 1) break;
      } catch (error) {
        if (!(error instanceof ChangedMeanwhile)) throw error;
      }
      again++;
    }
    added++;
  };
  await Promise.all(Array.from({ length: writers }, (_, at) => write(budgets[at % budgets.length]!)));
  return { added, lost: added - ((await sum()) - before), again };
}
