import type { definition } from '../../pipelines/steps/data/delete.ts';
import { tagChunk } from '../../pipelines/steps/points/tag.ts';
import { expectRows } from '../dataset/expected-rows.ts';
import type { ActivityOf } from '../frame/activity-of.ts';
import { inBatches } from '../frame/in-batches.ts';
import { noteDeletion } from '../index/deletions.ts';

type State = { idField: string };

const activity: ActivityOf<typeof definition> = {
  async prepare({ dataset, points: { count } }, context) {
    const { unique_id_field } = await context.maps.projects.get({ project_id: dataset }, { signal: context.signal });
    await expectRows(context, dataset, null);
    return { chunks: Math.ceil(count / tagChunk), items: count, state: { idField: unique_id_field ?? 'id_' } satisfies State };
  },

  async chunk({ dataset, points }, { idField }: State, index, context) {
    const ids = await context.store.readIds(points.uri, index * tagChunk, Math.min(points.count, (index + 1) * tagChunk));
    let request_id = '';
    await noteDeletion(context, dataset, idField, ids);
    await inBatches(ids, context.connection.batch.deletions, async (datum_ids) => {
      await context.maps.data.delete(
        { project_id: dataset, datum_ids },
        { signal: context.signal, onAnswer: ({ requestId }) => (request_id = requestId) },
      );
    });
    await context.store.items(
      context.step,
      index,
      ids.map((item) => ({ item, status: 'deleted', attempts: context.attempt, request_id })),
    );
    return { done: ids.length };
  },

  finish: ({ dataset }, _, { done = 0 }) => Promise.resolve({ dataset, count: done }),
};
export default activity;
