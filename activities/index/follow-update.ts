import { automaticIdField } from '../../contracts/maps/unique-id.ts';
import { ServiceFailed } from '../../errors/classes.ts';
import type { Progress } from '../../pipelines/phases.ts';
import { readKnownRows } from '../dataset/known-rows.ts';
import type { StepContext } from '../frame/context.ts';
import { covers, datasetNow, type Project } from '../../contracts/maps/coverage.ts';
import { askOf } from '../effects/lookup-of.ts';
import { deletedIds, deletionsOf, settleDeletions } from './deletions.ts';
import { errorsOf, keepOrdered, lastOrdered, sendUpdate, stampsOf, type UpdateOrder } from './order-update.ts';
import { buildPause, buildProgress } from './progress.ts';

/** `changed`: something shows that the update had something to do. */
export type UpdateState = { ended: true; changed: boolean } | { ended: false; againMs: number; begun: boolean; progress: Progress };

/**
 * Has an update ended? Not while the dataset is locked or a map is not ready; and not before something shows that it has
 * taken place: a map was updated since, maps hold what they did not hold, or deleted rows are gone. Where nothing was known
 * to change, it has ended when the order was answered.
 */
async function updateState(context: StepContext, order: UpdateOrder, last: number): Promise<UpdateState> {
  const now = await datasetNow(order.dataset, askOf(context));
  const { project } = now;
  const elapsed = Date.now() - last;
  const broken = errorsOf(project);
  const open = project.atlas_indices.find(({ projections }) => projections.some(({ id, ready }) => !ready && !(id in broken)));
  if (open && (project.insert_update_delete_lock || !(open.projections[0]!.id in order.errors))) {
    const { index_build_stage: stage, result } = await context.maps.indices.progress({ index_id: open.id }, { signal: context.signal });
    const progress = buildProgress(project.total_datums_in_project, result ?? 0, stage ?? 'updating');
    return { ended: false, againMs: buildPause(elapsed, result ?? 0), begun: true, progress };
  }
  const waiting = (note: string): UpdateState => ({
    ended: false,
    againMs: buildPause(elapsed, 0),
    begun: project.insert_update_delete_lock,
    progress: { done: 0, total: project.total_datums_in_project, unit: 'points', note },
  });
  if (project.insert_update_delete_lock) return waiting('locked');
  const { settleMs, lagMs, readings } = context.connection('maps');
  // It may begin later only where the connection says so.
  const mayBegin = readings['update-start'] === 'late' && elapsed <= settleMs;
  const failed = Object.entries(broken).find(([map, error]) => order.errors[map] !== error);
  // Until it has begun, the error of the try before stands.
  if (failed && mayBegin && order.standing[failed[0]] === failed[1]) return waiting('the update has not begun');
  if (failed) throw new ServiceFailed(`the service could not update map ${failed[0]}: ${failed[1]}`);
  if (!order.sent) return { ended: true, changed: false };

  const intact = project.atlas_indices.filter(({ projections }) => !projections.some(({ id }) => id in broken));
  if (!intact.every((index) => covers(index, now))) return waiting('the update has not begun');
  const { sample } = await deletionsOf(context, order.dataset);
  const moved = Object.entries(stampsOf(project)).some(([map, stamp]) => order.stamps[map] !== stamp);
  const shown = moved || (sample.length > 0 ? await areGone(context, project, sample) : order.stale.length > 0);
  // Where nothing was known to change, nothing need show, and an order that was answered has landed. Without a map nothing may ever show it.
  const silent = sample.length === 0 ? !mayBegin : project.maps.length === 0 && elapsed > lagMs;
  if (!shown && !silent) return waiting('nothing shows the update yet');
  // Where nothing else shows the commit, that none of the rows is left does: of a dataset without maps, or of rows that were gone before.
  if (shown || (await areGone(context, project, [...(await deletedIds(context, order.dataset))])))
    await settleDeletions(context, order.dataset, order.deleted);
  return { ended: true, changed: shown };
}

async function areGone(context: StepContext, { id, unique_id_field }: Project, ids: string[]): Promise<boolean> {
  return (await readKnownRows(context, id, unique_id_field ?? automaticIdField, ids)).size === 0;
}

/** An order that nothing came of is sent again after so many times that a lost call may take. */
const patience = 4;

/** How far an update is; one that has not begun for long is ordered again. */
export async function followUpdate(context: StepContext, order: UpdateOrder): Promise<UpdateState> {
  // An order that was kept may have been sent much later, by another attempt.
  const last = Math.max(order.at, await lastOrdered(context));
  const state = await updateState(context, order, last);
  if (!state.ended && !state.begun && Date.now() - last > patience * context.connection('maps').settleMs) {
    await keepOrdered(context);
    await sendUpdate(context, order, Date.now());
  }
  return state;
}
