import { Inconclusive } from '../../errors/classes.ts';
import type { definition } from '../../pipelines/steps/points/select.ts';
import type { Selection } from '../../contracts/maps/selection.ts';
import type { ActivityOf } from '../frame/activity.ts';
import type { StepContext } from '../frame/context.ts';
import { checkWhole } from './check-whole.ts';
import { mapFacts } from './map-facts.ts';
import { mayMeetNulls, selectionFor } from './selection.ts';

const activity: ActivityOf<typeof definition> = {
  async run({ map, where }, context) {
    const facts = await mapFacts(context, map);
    const selection = await selectionFor(context, map, facts, where);
    // Straight into the store: a million ids as one answer would take ten times their size in memory.
    const points = await context.store.writeIds(`${context.step}/${context.attemptId}`, async (add) => {
      let done = 0;
      context.progress({ done, unit: 'points', note: 'selecting' });
      await select(context, map, selection, async (ids) => {
        await add(ids);
        context.progress({ done: (done += ids.length), unit: 'points', note: 'selected' });
      });
    });
    const every = where === undefined;
    if (every && facts.points !== undefined && points.count !== facts.points)
      throw new Inconclusive(`the map counts ${facts.points} points, and the selection of every point gave ${points.count}`);
    const whole = async (count: number): Promise<void> =>
      checkWhole(context, { count, points: facts.points }, async () =>
        every ? count : countOf(context, map, await selectionFor(context, map, facts, undefined)),
      );
    await whole(points.count);
    if (facts.points !== undefined && mayMeetNulls(facts, where) && context.connection('maps').readings['inverted-null'] !== 'matches') {
      const others = await countOf(context, map, await selectionFor(context, map, facts, { not: where! }));
      await whole(others);
      checkComplement(points.count, others, facts.points);
    }
    return { points, count: points.count, map };
  },
};
export default activity;

/** A long list takes its time to arrive and to be written. */
const answerMs = 10 * 60_000;

/** Hands the ids of a selection over as they arrive. */
async function select(context: StepContext, map: string, selection: Selection, take: (ids: string[]) => Promise<void>): Promise<void> {
  await context.maps.query.select(
    { projection_id: map, selection },
    { signal: context.signal, timeoutMs: answerMs, onItems: (items) => take(items.map(pointId)) },
  );
}

/** The text shows ids as strings; the public docs also show objects of one field. */
const pointId = (item: unknown): string => String(typeof item === 'object' && item !== null ? Object.values(item)[0] : item);

/** How many points a selection has. */
async function countOf(context: StepContext, map: string, selection: Selection): Promise<number> {
  let count = 0;
  await select(context, map, selection, async (ids) => void (count += ids.length));
  return count;
}

/** A condition and its inversion are all points together, or rows with nulls are in neither: then the selection is not what was asked for. */
function checkComplement(count: number, others: number, points: number): void {
  if (count + others !== points)
    throw new Inconclusive(
      `${count} points match the conditions and ${others} their inversion, but the map has ${points}: the service leaves rows with nulls out of an inverted condition, so \`not\` on a column of numbers or times does not give what it says. Put the condition the other way round`,
    );
}
