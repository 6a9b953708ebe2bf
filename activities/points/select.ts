import { Inconclusive } from '../../errors/classes.ts';
import type { definition } from '../../pipelines/steps/points/select.ts';
import type { ActivityOf } from '../frame/activity.ts';
import { checkWhole } from './check-whole.ts';
import { mapFacts } from './map-facts.ts';
import { countPoints, selectPoints } from './selected.ts';
import { mayMeetNulls, selectionFor } from './selection.ts';

const activity: ActivityOf<typeof definition> = {
  async run({ map, where }, context) {
    const facts = await mapFacts(context, map);
    const selection = await selectionFor(context, map, facts, where);
    // Straight into the store: a million ids as one answer would take ten times their size in memory.
    const points = await context.store.writeIds(`${context.step}/${context.attemptId}`, async (add) => {
      let done = 0;
      context.progress({ done, unit: 'points', note: 'selecting' });
      await selectPoints(context, map, selection, async (ids) => {
        await add(ids);
        context.progress({ done: (done += ids.length), unit: 'points', note: 'selected' });
      });
    });
    const every = where === undefined;
    if (every && facts.points !== undefined && points.count !== facts.points)
      throw new Inconclusive(`the map counts ${facts.points} points, and the selection of every point gave ${points.count}`);
    const whole = async (count: number): Promise<void> =>
      checkWhole(context, { count, points: facts.points }, async () =>
        every ? count : countPoints(context, map, await selectionFor(context, map, facts, undefined)),
      );
    await whole(points.count);
    if (facts.points !== undefined && mayMeetNulls(facts, where) && context.connection('maps').readings['inverted-null'] !== 'matches') {
      const others = await countPoints(context, map, await selectionFor(context, map, facts, { not: where! }));
      await whole(others);
      checkComplement(points.count, others, facts.points);
    }
    return { points, count: points.count, map };
  },
};
export default activity;

/** A condition and its inversion are all points together, or rows with nulls are in neither: then the selection is not what was asked for. */
function checkComplement(count: number, others: number, points: number): void {
  if (count + others !== points)
    throw new Inconclusive(
      `${count} points match the conditions and ${others} their inversion, but the map has ${points}: the service leaves rows with nulls out of an inverted condition, so \`not\` on a column of numbers or times does not give what it says. Put the condition the other way round`,
    );
}
