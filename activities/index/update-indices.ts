import { updateReceived, upToDate } from '../../contracts/maps/coverage.ts';
import { datasetNow } from './coverage.ts';
import type { StepContext } from '../frame/context.ts';
import { sendOnce, wasBegun } from '../effects/send-once.ts';

/** Has every index of a dataset brought up to its data. Answers once that is under way; false where nothing was new. */
export async function updateIndices(context: StepContext, dataset: string): Promise<boolean> {
  const operation = 'maps.indices.update';
  const request = { project_id: dataset };
  // Once this step has begun to send it, maps that are current are its own work.
  if (!wasBegun(context, { operation, input: request }) && upToDate(await datasetNow(context, dataset))) return false;
  await sendOnce(context, {
    operation,
    input: request,
    lookup: { find: async () => (updateReceived(await datasetNow(context, dataset)) ? { answer: null } : 'absent') },
    async send() {
      await context.maps.indices.update(request, { signal: context.signal });
      return null;
    },
  });
  return true;
}
