import { probeRangeEnds, probeSearchMatch, sampleOf, type ProbedMap } from '../../contracts/assumptions/probe-selection.ts';
import type { AssumptionName, ReadingOf } from '../../contracts/assumptions/index.ts';
import type { Selection } from '../../contracts/maps/selection.ts';
import { BadInput, ReadingUnknown } from '../../errors/classes.ts';
import { misuseOf } from '../../pipelines/steps/column-uses.ts';
import { columnsIn, conditionsOf, toSelection, type Where } from '../../pipelines/steps/points/where.ts';
import { askOf } from '../effects/lookup-of.ts';
import type { StepContext } from '../frame/context.ts';
import type { MapFacts } from './map-facts.ts';

/** Conditions as the service of the connection reads them. What its text leaves open and no form of words avoids is found first. */
export async function selectionFor(context: StepContext, map: string, facts: MapFacts, where: Where | undefined): Promise<Selection> {
  const conditions = [...conditionsOf(where)];
  for (const use of columnsIn(where, [])) {
    const misuse = misuseOf(use, use.column === facts.idField ? 'string' : facts.columns.get(use.column));
    if (misuse) throw new BadInput('bad_input', `where: the column '${use.column}' ${misuse.what}; ${misuse.remedy}`);
  }
  const probed = once(async (): Promise<ProbedMap> => {
    const known = { map, dataset: facts.dataset, idField: facts.idField };
    return { ...known, columns: facts.columns, rows: await sampleOf(askOf(context), known) };
  });
  const numeric = (field: string): boolean => ['int32', 'float32', 'timestamp'].includes(facts.columns.get(field) ?? '');
  const ranged = conditions.some(({ condition }) => 'range' in condition || ('category' in condition && numeric(condition.category)));
  if (conditions.some(({ condition }) => 'search' in condition)) {
    const match = await found(context, 'search-match', async () => probeSearchMatch(askOf(context), await probed()));
    if (match === 'words' && context.connection('maps').readings['search-match'] === undefined)
      throw new ReadingUnknown(
        "the service matches whole words only, where `search` means any part of the text. Where that is what you want, set readings: { 'search-match': 'words' } in the connection",
      );
  }
  const ends = ranged ? await found(context, 'range-ends', async () => probeRangeEnds(askOf(context), await probed())) : 'both';
  return toSelection(where, { idField: facts.idField, columns: facts.columns, ends });
}

/** Does a selection invert a condition on numbers, so that what becomes of nulls is open? */
export const mayMeetNulls = (facts: MapFacts, where: Where | undefined): boolean =>
  [...conditionsOf(where)].some(
    ({ condition, inverted }) =>
      inverted && !('search' in condition) && facts.columns.get('range' in condition ? condition.range : condition.category) !== 'string',
  );

/** The reading of the connection, else the one that was found before, else the one that is found now, and kept. */
async function found<N extends AssumptionName>(
  context: StepContext,
  name: N,
  probe: () => Promise<ReadingOf<N> | undefined>,
): Promise<ReadingOf<N>> {
  const named = context.connection('maps').readings[name] as ReadingOf<N> | undefined;
  if (named !== undefined) return named;
  const key = JSON.stringify(['reading', context.connection('maps').name, context.mapsUrl(''), name]);
  const reading = (await context.store.recall<ReadingOf<N>>(key)) ?? (await probe());
  if (reading === undefined)
    throw new ReadingUnknown(
      `how the service reads ${name} cannot be seen in the rows of this map, and the result depends on it: find it with portolan doctor --probe, or set readings: { '${name}': … } in the connection (docs/assumptions.md)`,
    );
  await context.store.remember(key, reading);
  return reading;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
