import { ApiError } from '../../client/errors.ts';
import type { CallOptions } from '../../client/client.ts';
import { inBatches } from '../../client/in-batches.ts';
import type { StepContext } from '../frame/context.ts';
import { readKnownRows } from './known-rows.ts';

type Job = { dataset: string; idField: string };

/**
 * Orders the deletion of rows. A service may refuse a call because an id of it is not there, which a repeat meets wherever a part
 * of the rows is gone already: then only those are sent that are there. `ordered`: after each call, with its request.
 */
export const deleteRows = (
  context: StepContext,
  { dataset, idField }: Job,
  ids: readonly string[],
  ordered: (ids: string[], requestId: string) => void = () => undefined,
): Promise<void> =>
  inBatches(ids, context.connection('maps').batch.deletions, async (batch) => {
    let request = '';
    const options: CallOptions = { signal: context.signal, onAnswer: ({ requestId }) => (request = requestId) };
    const send = (datum_ids: string[]): Promise<unknown> =>
      context.sending(datum_ids, () => context.maps.data.delete({ project_id: dataset, datum_ids }, options));
    try {
      await send(batch);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      // A dataset that is gone is refused alike: this read fails then.
      await context.maps.projects.get({ project_id: dataset }, { signal: context.signal });
      const known = await readKnownRows(context, dataset, idField, batch);
      const left = batch.filter((id) => known.has(id));
      if (left.length === batch.length) throw error;
      if (left.length > 0) await send(left);
    }
    ordered(batch, request);
  });
