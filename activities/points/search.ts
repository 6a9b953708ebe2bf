import type { definition } from '../../pipelines/steps/points/search.ts';
import { ReadingUnknown, ServiceFailed } from '../../errors/classes.ts';
import type { Selection } from '../../contracts/maps/selection.ts';
import type { Where } from '../../pipelines/steps/points/where.ts';
import type { ActivityOf } from '../frame/activity.ts';
import type { StepContext } from '../frame/context.ts';
import { mapFacts, type MapFacts } from './map-facts.ts';
import { mayMeetNulls, selectionFor } from './selection.ts';

const activity: ActivityOf<typeof definition> = {
  async run(input, context) {
    const facts = await mapFacts(context, input.map);
    const { idField } = facts;
    const fields = input.fields ?? [idField];
    const answer = await context.maps.query.topk(
      {
        projection_id: input.map,
        k: input.k,
        fields: fields.includes(idField) ? fields : [...fields, idField],
        query: input.query,
        ...(input.where ? { selection: await selection(input.map, facts, input.where, context) } : {}),
      },
      { signal: context.signal },
    );
    const found = Array.isArray(answer) ? answer : answer.data;
    const ids = found.map(({ [idField]: id }) => {
      if (typeof id !== 'string' && typeof id !== 'number')
        throw new ServiceFailed(`a result of the search has no ${idField}, which was asked for`);
      return String(id);
    });
    const points = await context.store.writeIds(`${context.step}/${context.attemptId}`, [ids]);
    const asked = new Set(fields);
    const results = found.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => name !== idField || asked.has(name))));
    return { results, count: results.length, points, map: input.map };
  },
};
export default activity;

async function selection(map: string, facts: MapFacts, where: Where, context: StepContext): Promise<Selection> {
  if (mayMeetNulls(facts, where) && context.connection('maps').readings['inverted-null'] !== 'matches')
    throw new ReadingUnknown(
      "`not` on a column of numbers or times depends on whether a null matches an inverted condition, and a search cannot show it: put the condition the other way round, or set readings: { 'inverted-null': 'matches' } in the connection",
    );
  return selectionFor(context, map, facts, where);
}
