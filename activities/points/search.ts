import type { definition } from '../../pipelines/steps/points/search.ts';
import { toSelection } from '../../pipelines/steps/points/where.ts';
import type { ActivityOf } from '../frame/activity-of.ts';

const activity: ActivityOf<typeof definition> = {
  async run(input, context) {
    const answer = await context.maps.query.topk(
      {
        projection_id: input.map,
        k: input.k,
        fields: input.fields,
        query: input.query,
        ...(input.where ? { selection: toSelection(input.where) } : {}),
      },
      { signal: context.signal },
    );
    const results = Array.isArray(answer) ? answer : answer.data;
    return { results, count: results.length };
  },
};
export default activity;
