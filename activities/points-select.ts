import type { definition } from '../pipelines/steps/points-select.ts';
import { toSelection } from '../pipelines/steps/where.ts';
import type { ActivityOf } from './activity-of.ts';

const activity: ActivityOf<typeof definition> = {
  async run(input, context) {
    const answer = await context.maps.query.select(
      { projection_id: input.map, selection: toSelection(input.where) },
      { signal: context.signal },
    );
    const list = Array.isArray(answer) ? answer : answer.data;
    const points = await context.store.writeIds(context.step, [list.map(pointId)]);
    return { points, count: points.count, map: input.map };
  },
};
export default activity;

/** The text shows ids as strings; the public docs also show objects of one field. */
const pointId = (item: unknown): string => String(typeof item === 'object' && item !== null ? Object.values(item)[0] : item);
