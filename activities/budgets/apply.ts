import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { patient } from '../../client/patient.ts';
import { BadInput, ChangedMeanwhile, Inconclusive } from '../../errors/classes.ts';
import { difference, nameOfDifference, type Difference } from '../../pipelines/budgets/difference.ts';
import { sayDifference } from '../../pipelines/budgets/say.ts';
import type { definition } from '../../pipelines/steps/budgets/apply.ts';
import { knownAmounts } from '../../store/known-amounts.ts';
import { checkAllDone } from '../items/all-done.ts';
import type { ActivityOf } from '../frame/activity.ts';
import { untilSeen } from '../frame/until-seen.ts';
import { look } from './seen.ts';
import { settle } from './settle.ts';

async function differencesIn(file: string): Promise<Difference[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new BadInput(
      'bad_input',
      `differences: ${file} cannot be read (${error.code}); write \${{ steps.ID.differences }} of a step budgets.compare of this run`,
    );
  });
  const read = z.array(difference).safeParse(parsed(text));
  if (read.success) return read.data;
  throw new BadInput(
    'bad_input',
    `differences: ${file} is no list of differences; write \${{ steps.ID.differences }} of a step budgets.compare`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Differences in their order, all in one chunk: what gives money back comes before what takes it. */
const activity: ActivityOf<typeof definition> = {
  async prepare({ differences: file }) {
    const differences = await differencesIn(file);
    return { chunks: differences.length > 0 ? 1 : 0, items: differences.length, unit: 'differences', state: null };
  },

  async chunk({ differences: file }, _, __, context) {
    const differences = await differencesIn(file);
    const counts = { done: 0, applied: 0, present: 0 };
    for (const each of differences) {
      const name = nameOfDifference(each);
      const record = (status: string, reason?: string): void =>
        context.fates([{ items: [name], fate: { status, attempts: context.attempt, ...(reason === undefined ? {} : { reason }) } }]);
      try {
        const fate = await settle(each, name, context);
        counts[fate]++;
        record(fate, sayDifference(each));
      } catch (error) {
        if (error instanceof ChangedMeanwhile) record('changed', error.message);
        throw error;
      }
      counts.done++;
      context.progress({ done: counts.done, total: differences.length, unit: 'differences' });
    }
    return counts;
  },

  async sent({ differences: file }, _, __, context) {
    const intents = context.intents();
    return (await differencesIn(file)).map(nameOfDifference).filter((name) => intents.state(name).is === 'open');
  },

  async finish({ differences: file }, _, { done = 0, applied = 0, present = 0 }, context) {
    let left = await differencesIn(file);
    const count = left.length;
    checkAllDone(done, count);
    const known = knownAmounts(context.store, context.connection('instance').url);
    const isThere = async (each: Difference): Promise<boolean> => {
      const seen = await look(each, patient(context));
      if (seen.is !== 'to') return false;
      // From now on renewals may add to it.
      if (each.to.amountCents !== undefined) await known.set(seen.id, { amountCents: each.to.amountCents, at: seen.at });
      return true;
    };
    const settled = { connection: () => context.connection('instance'), signal: context.signal };
    await untilSeen(
      settled,
      async () => {
        const seen = await Promise.all(left.map(async (each) => ((await isThere(each)) ? [] : [each])));
        return (left = seen.flat());
      },
      ({ length }) => length === 0,
    );
    const [first] = left;
    if (first)
      throw new Inconclusive(
        `${left.length} of ${count} differences were settled, and are not there when they are read back: first ${sayDifference(first)}. Somebody else may have changed it since`,
      );
    return { count, applied, present };
  },
};
export default activity;
