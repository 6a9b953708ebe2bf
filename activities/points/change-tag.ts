import { ApiError } from '../../client/errors.ts';
import { inBatches } from '../../client/in-batches.ts';
import { ServiceFailed } from '../../errors/classes.ts';
import type { TagOperation } from '../../store/tag-lists.ts';
import { readKnownRows } from '../dataset/known-rows.ts';
import type { StepContext } from '../frame/context.ts';

/** A tag that is changed, and where the ids of its points are. */
export type TagChange = { map: string; tag: string; operation: TagOperation; dataset: string; idField: string };

/** The fate of a point whose tag was changed. */
export const fateOf = { add: 'tagged', remove: 'untagged' } as const;

/**
 * Changes the tag of these points, says of each what became of it, and returns the ids that the dataset does not have.
 * `points_tagged` says how many the service went through, by one reading only those that it changed: where they are fewer, or the
 * service does not know the tag that is to be removed, the dataset is asked which ids it has. Tagging again changes nothing.
 */
export async function changeTag(
  context: StepContext,
  { map, tag, operation, dataset, idField }: TagChange,
  ids: string[],
): Promise<string[]> {
  const absent: string[] = [];
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
    if (answer !== null && (answer.points_tagged ?? 0) >= batch.length) {
      context.fates([{ items: batch, fate: { status, ...fate } }]);
      return;
    }
    const missing = await missingOf(context, { dataset, idField }, batch);
    const gone = new Set(missing);
    absent.push(...missing);
    if (missing.length < batch.length) context.fates([{ items: batch.filter((id) => !gone.has(id)), fate: { status, ...fate } }]);
    tellMissing(context, missing, fate);
  });
  return absent;
}

/** Ids of which the dataset has no row. */
export async function missingOf(
  context: StepContext,
  { dataset, idField }: Pick<TagChange, 'dataset' | 'idField'>,
  ids: readonly string[],
): Promise<string[]> {
  const known = await readKnownRows(context, dataset, idField, ids);
  return ids.filter((id) => !known.has(id));
}

export function tellMissing(context: StepContext, missing: readonly string[], fate: { attempts: number; request_id?: string }): void {
  if (missing.length > 0)
    context.fates([{ items: missing, fate: { status: 'missing', reason: 'the dataset has no row with this id', ...fate } }]);
}
