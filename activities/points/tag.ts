import { tagChunk, type definition } from '../../pipelines/steps/points/tag.ts';
import { countOf } from '../../store/parquet-page.ts';
import type { FateGroup, ItemRecord } from '../../store/run-store.ts';
import type { ActivityOf } from '../frame/activity-of.ts';
import type { StepContext } from '../frame/context.ts';
import { mapVersion } from '../index/coverage.ts';

type State = {
  tag: string;
  operation: 'add' | 'remove';
  key: string;
  unchanged: boolean;
  /** Ids of a chunk; absent in runs that were begun when it was 5,000. */
  perChunk?: number;
};
type Known = { run: string; count: number; missing: number };

const activity: ActivityOf<typeof definition> = {
  async prepare(input, context) {
    const tag = (input.add ?? input.remove)!;
    const operation = input.add === undefined ? 'remove' : 'add';
    const key = await memoryKey(context, input.map, input.points, tag);
    // The API has no read for the points of a tag, so an unchanged job is known from this store's own record.
    const known = input.again ? undefined : await context.store.recall<Known & { operation: string }>(key);
    const unchanged = known?.operation === operation;
    const state: State = { tag, operation, key, unchanged, perChunk: tagChunk };
    if (unchanged) {
      await context.store.event({
        step: context.step,
        kind: 'note',
        cause: `nothing sent: run ${known.run} had done the same to the same points of the same map`,
      });
      return {
        chunks: 0,
        items: input.points.count,
        state,
        counts: { done: input.points.count, tagged: known.count, missing: known.missing },
      };
    }
    return { chunks: Math.ceil(input.points.count / tagChunk), items: input.points.count, state };
  },

  async chunk(input, state: State, index, context) {
    const { perChunk = 5_000 } = state;
    const ids = await context.store.readIds(input.points.uri, index * perChunk, Math.min(input.points.count, (index + 1) * perChunk));
    const parts = await tagEach(context, input.map, state, ids);
    await context.store.fates(context.step, index, parts);
    const missing = parts.reduce((sum, part) => sum + (part.fate.status === 'missing' ? countOf(part.items) : 0), 0);
    return { done: ids.length, tagged: ids.length - missing, missing };
  },

  async finish(input, state: State, counts, context) {
    const { tagged = 0, missing = 0 } = counts;
    if (!state.unchanged)
      await context.store.remember(state.key, { run: context.run.id, operation: state.operation, count: tagged, missing });
    return { tag: state.tag, count: tagged, missing, unchanged: state.unchanged };
  },
};
export default activity;

/** `points_tagged` tells how many ids exist, not which: halving finds the missing ones. Tagging again changes nothing. */
async function tagEach(context: StepContext, map: string, state: State, ids: string[]): Promise<FateGroup[]> {
  if (ids.length === 0) return [];
  let request_id = '';
  const { points_tagged } = await context.maps.tags.update(
    { projection_id: map, tag_name: state.tag, ids, operation: state.operation },
    { signal: context.signal, onAnswer: ({ requestId }) => (request_id = requestId) },
  );
  const all = (fate: Pick<ItemRecord, 'status' | 'reason'>): FateGroup[] => [
    { items: ids, fate: { ...fate, attempts: context.attempt, request_id } },
  ];
  if (points_tagged >= ids.length) return all({ status: state.operation === 'add' ? 'tagged' : 'untagged' });
  if (points_tagged === 0) return all({ status: 'missing', reason: 'the map has no point with this id' });
  const middle = ids.length >> 1;
  return [...(await tagEach(context, map, state, ids.slice(0, middle))), ...(await tagEach(context, map, state, ids.slice(middle)))];
}

/** One key per connection, map as it is, tag and set of points: an update may have brought a point back without its tags. */
const memoryKey = async (context: StepContext, map: string, { uri, count }: { uri: string; count: number }, tag: string): Promise<string> =>
  JSON.stringify([
    'points.tag',
    context.connection.name,
    context.mapsUrl(''),
    map,
    await mapVersion(context, map),
    tag,
    await context.store.hashIds(uri),
    count,
  ]);
