import type { definition } from '../../pipelines/steps/points/search.ts';
import { ReadingUnknown } from '../../errors/classes.ts';
import type { Selection } from '../../contracts/maps/selection.ts';
import type { Where } from '../../pipelines/steps/points/where.ts';
import type { ActivityOf } from '../frame/activity.ts';
import type { StepContext } from '../frame/context.ts';
import { mapFacts } from './map-facts.ts';
import { mayMeetNulls, selectionFor } from './selection.ts';

const activity: ActivityOf<typeof definition> = {
  async run(input, context) {
    const answer = await context.maps.query.topk(
      {
        projection_id: input.map,
        k: input.k,
        fields: input.fields,
        query: input.query,
        ...(input.where ? { selection: await selection(input.map, input.where, context) } : {}),
      },
      { signal: context.signal },
    );
    const results = Array.isArray(answer) ? answer : answer.data;
    return { results, count: results.length };
  },
};
export default activity;

async function selection(map: string, where: Where, context: StepContext): Promise<Selection> {
  const facts = await mapFacts(context, map);
  if (mayMeetNulls(facts, where) && context.connection('maps').readings['inverted-null'] !== 'matches')
    throw new ReadingUnknown(
      "`not` on a column of numbers or times depends on whether a null matches an inverted condition, and a search cannot show it: put the condition the other way round, or set readings: { 'inverted-null': 'matches' } in the connection",
    );
  return selectionFor(context, map, facts, where);
}
