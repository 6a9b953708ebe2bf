import type { ShardResult } from '../../child/tables.ts';
import type { StepContext } from '../frame/context.ts';

/** Notes which columns source and dataset do not have both, where there are such. */
export async function noteDrift({ store, step }: StepContext, { drift }: Pick<ShardResult, 'drift'>): Promise<void> {
  if (!drift) return;
  const { added, gone } = drift;
  const left = [
    ...(added.length > 0 ? [`left out, for the dataset has no such column: ${added.join(', ')}`] : []),
    ...(gone.length > 0 ? [`without a value, for the source has no such column: ${gone.join(', ')}`] : []),
  ];
  await store.event({ step, kind: 'note', cause: left.join('; ') });
}
