import { Inconclusive } from '../../errors/classes.ts';
import { refusedDeletions, type definition } from '../../pipelines/steps/dataset/mirror.ts';
import type { ActivityOf } from '../frame/activity.ts';
import append, { accountedFor, checkCount, prepareRows, replaceChanged } from './append.ts';
import { compareWithSource, rowsToDelete, setMirrored, type Mirrored } from './mirrored-rows.ts';
import type { Shards } from './shards.ts';
import { strangeRows } from './strange-rows.ts';

type State = Mirrored & { shards: Shards };

const activity: ActivityOf<typeof definition> = {
  async prepare({ deletes, others, ...input }, context) {
    const { state, ...prepared } = await prepareRows({ ...input, onChange: 'replace' }, context, {});
    const shards = state as Shards;
    const mirrored = await compareWithSource(context, { ...input, others }, shards, (facts) => refusedDeletions(deletes, facts));
    return { ...prepared, state: { ...mirrored, shards } satisfies State };
  },

  chunk: (input, { shards }: State, index, context) => append.chunk({ ...input, onChange: 'replace' }, shards, index, context),

  sent: (input, { shards }: State, index, context) => append.sent!({ ...input, onChange: 'replace' }, shards, index, context),

  /** New rows are there: now changed ones are replaced and those that are gone deleted, by one update of the maps. */
  async finish({ dataset, others }, { shards, ...mirrored }: State, counts, context) {
    const { added, present, replaced } = accountedFor(shards, counts);
    const { ids: gone, kept } = await rowsToDelete(context, { dataset, owner: mirrored.owner }, shards);
    if (!(await context.store.readJson(`replace/${context.step}.json`))) await checkCount(context, dataset, shards.before, added);
    const before = shards.before + added;
    const strange = before - (added + present + replaced) - kept - gone.length;
    // They have come since this step has looked.
    if (strange > 0 && others === 'refuse') throw new Inconclusive(strangeRows(strange, 'nothing was deleted'));
    if (replaced + gone.length > 0) {
      await replaceChanged(context, dataset, shards, { before, gone });
      await checkCount(context, dataset, before - gone.length, 0);
    }
    await setMirrored(context, mirrored, shards, added + replaced);
    context.counted({ deleted: gone.length });
    const { rows, rejected, columns } = shards;
    return { dataset, rows, added, present, replaced, deleted: gone.length, rejected, columns };
  },
};
export default activity;
