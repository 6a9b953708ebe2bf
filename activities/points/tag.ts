import { ApiError } from '../../client/errors.ts';
import { ServiceFailed } from '../../errors/classes.ts';
import { tagChunk, type definition } from '../../pipelines/steps/points/tag.ts';
import { checkAllDone } from '../items/all-done.ts';
import { idsOfChunk } from '../items/ids-of-chunk.ts';
import type { ActivityOf } from '../frame/activity.ts';
import type { StepContext } from '../frame/context.ts';
import { readKnownRows } from '../dataset/known-rows.ts';
import { inBatches } from '../../client/in-batches.ts';
import { mapFacts } from './map-facts.ts';
import { tagMemory, type Tagged, type TagOperation } from './tag-memory.ts';

type State = {
  tag: string;
  operation: TagOperation;
  /** Of the map, when the step began. */
  version: string;
  /** What an earlier run acknowledged: then nothing is sent. */
  known?: Tagged;
  /** Ids of a chunk. */
  perChunk: number;
  dataset: string;
  idField: string;
};

/** The fate of a point whose tag was changed. */
const fateOf = { add: 'tagged', remove: 'untagged' } as const;

const activity: ActivityOf<typeof definition> = {
  async prepare(input, context) {
    const tag = (input.add ?? input.remove)!;
    const operation = input.add === undefined ? 'remove' : 'add';
    const { dataset, idField, version } = await mapFacts(context, input.map);
    const memory = tagMemory(context, { tag, operation, version, map: input.map, points: input.points });
    const known = input.again ? undefined : await memory.known();
    const state: State = { tag, operation, version, perChunk: tagChunk, dataset, idField };
    if (known) {
      await context.store.event({
        step: context.step,
        kind: 'note',
        cause: `nothing sent: run ${known.run} had done the same to the same points of the same map`,
      });
      return { chunks: 0, items: input.points.count, state: { ...state, known }, counts: { done: input.points.count } };
    }
    await memory.begin();
    return { chunks: Math.ceil(input.points.count / tagChunk), items: input.points.count, state };
  },

  async chunk(input, state: State, index, context) {
    const ids = await idsOfChunk(context.store, input.points, state.perChunk, index);
    const missing = await tagEach(context, input.map, state, ids);
    return { done: ids.length, [fateOf[state.operation]]: ids.length - missing, missing };
  },

  sent: ({ points }, { perChunk }: State, index, { store }) => idsOfChunk(store, points, perChunk, index),

  async finish(input, state: State, counts, context) {
    const { known, operation, tag, version } = state;
    checkAllDone(counts['done'] ?? 0, input.points.count);
    const { count, missing } = known ?? { count: counts[fateOf[operation]] ?? 0, missing: counts['missing'] ?? 0 };
    if (!known) {
      const memory = tagMemory(context, { tag, operation, version, map: input.map, points: input.points });
      await memory.end({ count, missing });
    }
    return { tag, count, missing, unchanged: known !== undefined };
  },
};
export default activity;

/**
 * Changes the tag of these points, says of each what became of it, and returns how many ids the dataset does not have.
 * `points_tagged` says how many the service went through, by one reading only those that it changed: where they are fewer, the
 * dataset is asked which ids it has. Tagging again changes nothing.
 */
async function tagEach(context: StepContext, map: string, { tag, operation, dataset, idField }: State, ids: string[]): Promise<number> {
  let absent = 0;
  const status = fateOf[operation];
  await inBatches(ids, context.connection('maps').batch.tags, async (batch) => {
    let request_id = '';
    const fields = { projection_id: map, tag_name: tag, ids: batch, operation, id_field: idField };
    const answer = await context
      .sending(batch, () =>
        context.maps.tags.update(fields, { signal: context.signal, onAnswer: ({ requestId }) => (request_id = requestId) }),
      )
      .catch((error: unknown) => {
        // The map was read before: what is unknown is the tag, and so no point has it.
        if (operation === 'remove' && error instanceof ApiError && error.status === 404) return null;
        throw error;
      });
    if (answer?.success === false)
      throw new ServiceFailed(`the service did not change tag '${tag}' (${JSON.stringify(answer)}), and does not say why`);
    const fate = { attempts: context.attempt, ...(request_id === '' ? {} : { request_id }) };
    if (answer === null || (answer.points_tagged ?? 0) >= batch.length) {
      context.fates([{ items: batch, fate: { status, ...fate } }]);
      return;
    }
    const known = await readKnownRows(context, dataset, idField, batch);
    const missing = batch.filter((id) => !known.has(id));
    absent += missing.length;
    if (missing.length < batch.length) context.fates([{ items: batch.filter((id) => known.has(id)), fate: { status, ...fate } }]);
    if (missing.length > 0)
      context.fates([{ items: missing, fate: { status: 'missing', reason: 'the dataset has no row with this id', ...fate } }]);
  });
  return absent;
}
