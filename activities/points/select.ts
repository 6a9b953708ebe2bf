import type { definition } from '../../pipelines/steps/points/select.ts';
import { toSelection } from '../../pipelines/steps/points/where.ts';
import type { ActivityOf } from '../frame/activity-of.ts';

const activity: ActivityOf<typeof definition> = {
  async run(input, context) {
    // Straight into the store: a million ids as one answer would take ten times their size in memory.
    const points = await context.store.writeIds(`${context.step}/${context.attemptId}`, async (add) => {
      let done = 0;
      context.progress({ done, unit: 'points', note: 'selecting' });
      await context.maps.query.select(
        { projection_id: input.map, selection: toSelection(input.where) },
        {
          signal: context.signal,
          timeoutMs: answerMs,
          async onItems(items) {
            await add(items.map(pointId));
            context.progress({ done: (done += items.length), unit: 'points', note: 'selected' });
          },
        },
      );
    });
    return { points, count: points.count, map: input.map };
  },
};
export default activity;

/** A long list takes its time to arrive and to be written. */
const answerMs = 10 * 60_000;

/** The text shows ids as strings; the public docs also show objects of one field. */
const pointId = (item: unknown): string => String(typeof item === 'object' && item !== null ? Object.values(item)[0] : item);
