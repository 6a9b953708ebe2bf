import type { definition } from '../../pipelines/steps/index/update.ts';
import { checkExpectedRows } from '../dataset/expected-rows.ts';
import type { ActivityOf } from '../frame/activity.ts';
import { followUpdate } from './follow-update.ts';
import { orderUpdate, type UpdateOrder } from './order-update.ts';

const activity: ActivityOf<typeof definition> = {
  async start({ dataset }, context) {
    return { done: false, token: await orderUpdate(context, dataset, { always: true }) };
  },

  async check({ dataset }, order: UpdateOrder, context) {
    const state = await followUpdate(context, order);
    if (!state.ended) return { done: false, token: order, againMs: state.againMs, progress: state.progress };
    const project = await checkExpectedRows(context, dataset);
    return {
      done: true,
      output: {
        dataset,
        updated: state.changed,
        rows: project.total_datums_in_project,
        maps: project.maps.flatMap(({ projection_id }) => projection_id ?? []),
      },
    };
  },
};
export default activity;
