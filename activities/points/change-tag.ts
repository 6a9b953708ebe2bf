import { ApiError } from '../../client/errors.ts';
import { inBatches } from '../../client/in-batches.ts';
import { ServiceFailed } from '../../errors/classes.ts';
import type { TagOperation } from '../../store/tag-lists.ts';
import { readKnownRows } from '../dataset/known-rows.ts';
import type { StepContext } from '../frame/context.ts';
import type { MapFacts } from './map-facts.ts';
import { idsOnMap } from './on-map.ts';

/** A tag that is changed, and where the ids of its points are. */
export type TagChange = Pick<MapFacts, 'dataset' | 'idField'> & {
  map: string;
  tag: string;
  operation: TagOperation;
  /** Points of the map, where the service counts them. */
  mapPoints: number | undefined;
};

/** The fate of a point whose tag was changed. */
export const fateOf = { add: 'tagged', remove: 'untagged' } as const;

/**
 * Changes the tag of these points, says of each what became of it, and returns the ids that are missing.
 * `points_tagged` says how many the service went through, by one reading only those that it changed: where they are fewer, or the
 * service does not know the tag that is to be removed, it is asked which ids there are. Tagging again changes nothing.
 */
export async function changeTag(context: StepContext, { tag, operation, ...of }: TagChange, ids: string[]): Promise<string[]> {
  const absent: string[] = [];
  const status = fateOf[operation];
  await inBatches(ids, context.connection('maps').batch.tags, async (batch) => {
    let request_id = '';
    const fields = { projection_id: of.map, tag_name: tag, ids: batch, operation, id_field: of.idField };
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
    if (answer !== null && (answer.points_tagged ?? 0) >= batch.length) {
      context.fates([{ items: batch, fate: { status, ...fate } }]);
      return;
    }
    const { there, missing } = await knownPoints(context, of, batch);
    if (there.length > 0) context.fates([{ items: there, fate: { status, ...fate } }]);
    recordMissing(context, missing, fate);
    absent.push(...missing.flatMap(({ ids: some }) => some));
  });
  return absent;
}

type Missing = { ids: string[]; reason: string };

/**
 * Which of these ids the service goes through: those of which the dataset has a row, and of them, where the connection names that
 * reading of `tag-scope`, those of which the map has a point.
 */
export async function knownPoints(
  context: StepContext,
  { map, mapPoints, dataset, idField }: Omit<TagChange, 'tag' | 'operation'>,
  ids: readonly string[],
): Promise<{ there: string[]; missing: Missing[] }> {
  const rows = await readKnownRows(context, dataset, idField, ids);
  const [inDataset, gone] = parted(ids, (id) => rows.has(id));
  const missing = [{ ids: gone, reason: 'the dataset has no row with this id' }];
  if (context.connection('maps').readings['tag-scope'] !== 'map') return { there: inDataset, missing };
  const points = await idsOnMap(context, { map, idField, points: mapPoints }, inDataset);
  const [there, beside] = parted(inDataset, (id) => points.has(id));
  return { there, missing: [...missing, { ids: beside, reason: 'the map has no point with this id' }] };
}

function parted(ids: readonly string[], is: (id: string) => boolean): [string[], string[]] {
  return [ids.filter(is), ids.filter((id) => !is(id))];
}

export function recordMissing(context: StepContext, missing: readonly Missing[], fate: { attempts: number; request_id?: string }): void {
  for (const { ids, reason } of missing) if (ids.length > 0) context.fates([{ items: ids, fate: { status: 'missing', reason, ...fate } }]);
}
