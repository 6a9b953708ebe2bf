import { Inconclusive } from '../../errors/classes.ts';
import { refusedDeletions, type definition } from '../../pipelines/steps/dataset/mirror.ts';
import { counted } from '../../text/units.ts';
import type { ActivityOf } from '../frame/activity.ts';
import append, { accountedFor, checkCount, prepareRows, replaceChanged } from './append.ts';
import { compareWithSource, rowsToDelete, setMirrored, type Mirrored } from './mirrored-rows.ts';
import type { Shards } from './shards.ts';

type State = Mirrored & { shards: Shards };

const activity: ActivityOf<typeof definition> = {
  async prepare({ deletes, others: _others, ...input }, context) {
    const { state, ...prepared } = await prepareRows({ ...input, onChange: 'replace' }, context, {});
    const shards = state as Shards;
    const mirrored = await compareWithSource(context, input, shards, (facts) => refusedDeletions(deletes, facts));
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
    if (strange > 0 && others === 'refuse')
      throw new Inconclusive(
        `the dataset holds ${counted(strange, 'row')} that are not in the source and that this step has not put there; nothing was deleted. Delete them (points.select, data.delete), or leave them there: others: keep`,
      );
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
