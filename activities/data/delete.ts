import { automaticIdField } from '../../contracts/maps/unique-id.ts';
import { deleteChunk, type definition } from '../../pipelines/steps/data/delete.ts';
import { deleteRows } from '../dataset/delete-rows.ts';
import { expectRows } from '../dataset/expected-rows.ts';
import { checkAllDone } from '../items/all-done.ts';
import { idsOfChunk } from '../items/ids-of-chunk.ts';
import type { ActivityOf } from '../frame/activity.ts';
import { noteDeletedIds, noteDeletion } from '../index/deletions.ts';

/** A chunk is the state's, not the code's: a newer worker may take the next one. */
type State = { idField: string; perChunk: number };

const activity: ActivityOf<typeof definition> = {
  async prepare({ dataset, points: { uri, count } }, context) {
    const { unique_id_field } = await context.maps.projects.get({ project_id: dataset }, { signal: context.signal });
    await expectRows(context, dataset, null);
    await noteDeletedIds(context, dataset, await context.store.readIds(uri, 0, count));
    return {
      chunks: Math.ceil(count / deleteChunk),
      items: count,
      state: { idField: unique_id_field ?? automaticIdField, perChunk: deleteChunk } satisfies State,
    };
  },

  async chunk({ dataset, points }, { idField, perChunk }: State, index, context) {
    const ids = await idsOfChunk(context.store, points, perChunk, index);
    await noteDeletion(context, dataset, idField, ids);
    await deleteRows(context, { dataset, idField }, ids, (items, request_id) =>
      context.fates([{ items, fate: { status: 'deleted', attempts: context.attempt, request_id } }]),
    );
    return { done: ids.length, deleted: ids.length };
  },

  sent: ({ points }, { perChunk }: State, index, { store }) => idsOfChunk(store, points, perChunk, index),

  async finish({ dataset, points: { count } }, _, { done = 0 }) {
    checkAllDone(done, count);
    return { dataset, count };
  },
};
export default activity;
