import { updateReceived, upToDate } from '../../contracts/maps/coverage.ts';
import { datasetNow } from './coverage.ts';
import type { StepContext } from '../frame/context.ts';
import { reconciled } from '../effects/reconcile.ts';

/** Has every index of a dataset brought up to its data. Answers once that is under way; false where nothing was new. */
export async function updateIndices(context: StepContext, dataset: string): Promise<boolean> {
  if (upToDate(await datasetNow(context, dataset))) return false;
  await reconciled(context, {
    operation: 'maps.indices.update',
    find: async () => updateReceived(await datasetNow(context, dataset)) || undefined,
    send: async () => {
      await context.maps.indices.update({ project_id: dataset }, { signal: context.signal });
      return true;
    },
  });
  return true;
}
