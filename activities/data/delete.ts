import type { definition } from '../../pipelines/steps/data/delete.ts';
import { tagChunk } from '../../pipelines/steps/points/tag.ts';
import type { ActivityOf } from '../frame/activity-of.ts';

const activity: ActivityOf<typeof definition> = {
  prepare: ({ points: { count } }) => Promise.resolve({ chunks: Math.ceil(count / tagChunk), items: count, state: null }),

  async chunk({ dataset, points }, _, index, context) {
    const ids = await context.store.readIds(points.uri, index * tagChunk, Math.min(points.count, (index + 1) * tagChunk));
    let request_id = '';
    await context.maps.data.delete(
      { project_id: dataset, datum_ids: ids },
      { signal: context.signal, onAnswer: ({ requestId }) => (request_id = requestId) },
    );
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
