import type { ShardRows } from '../../child/tables.ts';
import { Inconclusive } from '../../errors/classes.ts';
import type { StepContext } from '../frame/context.ts';
import { notYet } from '../frame/failure.ts';
import { noteDeletedIds, noteDeletion, settleDeletions } from '../index/deletions.ts';
import { followUpdate } from '../index/follow-update.ts';
import { orderUpdate, wasOrdered, type UpdateOrder } from '../index/order-update.ts';
import { counted } from '../../text/units.ts';
import { awaitKnownRows } from './await-known-rows.ts';
import { awaitDataset } from './expected-rows.ts';
import { deleteRows } from './delete-rows.ts';
import { sameRow } from './same-row.ts';
import { addRows } from './send-shards.ts';

/** Rows of one shard whose place in the dataset is taken by other rows under the same ids. */
export type Replacement = { file: string; ids: string[] };

/**
 * How far a replacement is, kept in the run store. The order is what makes it right wherever the text is silent: an id whose
 * deletion is not committed may be skipped when it is added again, and a commit may take the new row with the old one. So
 * rows are deleted, the deletion is committed, and only then they are added.
 * - `begun`: nothing was sent that takes a row.
 * - `deleted`: the deletions are ordered.
 * - `committed`: no row of the ids is left.
 * - `added`: the new rows are sent.
 */
type Stage = { is: 'begun' | 'deleted' | 'committed' | 'added' };

/** `gone`: ids of rows that are deleted, and in whose place none is added. */
type Job = { dataset: string; idField: string; replacements: Replacement[]; gone?: readonly string[]; before: number };

/**
 * Replaces rows, from where an earlier attempt left off, and shows by reading them back that the new ones are there. `before`:
 * rows of the dataset when the replacement begins. Throws `NotYet` while an update is under way, `NotOffered` before
 * anything is deleted where the service has no update, and `Inconclusive` where the rows cannot be seen to be right.
 */
export async function replaceRows(context: StepContext, job: Job): Promise<void> {
  const file = `replace/${context.step}.json`;
  let stage = (await context.store.readJson<Stage>(file))?.is ?? 'begun';
  const to = async (is: Stage['is']): Promise<void> => {
    await context.store.writeJson(file, { is } satisfies Stage);
    stage = is;
  };
  // Kept with its first call: a further try orders anew what came to nothing in the one before.
  const commit = (): Promise<UpdateOrder> => orderUpdate(context, job.dataset, { purpose: 'commit' });
  if (stage === 'begun') {
    context.requireApproval(`to ${actsOf(job).join(' and ')}`);
    // A service that cannot commit a deletion must be known before one is ordered.
    if (!(await offersUpdate(context))) {
      const order = await orderUpdate(context, job.dataset, { always: true, purpose: 'try' });
      await ended(context, order, 'updating the maps before rows are deleted');
      await context.store.remember(offered(context), true);
    }
    // On the disk before a row goes: rows that are missing from here on are no sign that some were lost.
    await to('begun');
    // Behind the order of the commit nothing is deleted: no update would take it before the rows are added.
    if (!(await wasOrdered(context, 'commit'))) await deleteAll(context, job);
    await commit();
    await to('deleted');
  }
  if (stage === 'deleted') {
    const order = await commit();
    await ended(context, order, 'committing the deletions');
    await checkCommitted(context, job);
    await settleDeletions(context, job.dataset, order.deleted);
    await to('committed');
  }
  if (stage === 'committed') {
    await addAll(context, job);
    await to('added');
  }
  await checkAll(context, job);
}

const offered = ({ connection, mapsUrl }: StepContext): string => JSON.stringify(['update offered', connection('maps').name, mapsUrl('')]);
const offersUpdate = async (context: StepContext): Promise<boolean> => (await context.store.recall<true>(offered(context))) === true;

async function ended(context: StepContext, order: UpdateOrder, note: string): Promise<void> {
  const state = await followUpdate(context, order);
  if (!state.ended) throw notYet(state.againMs, `${note}: ${state.progress.note}`);
}

const idsOf = ({ replacements, gone = [] }: Job): string[] => [...replacements.flatMap(({ ids }) => ids), ...gone];

const named = (ids: readonly string[], noun: string): string => `${counted(ids.length, noun)} (${ids[0]}${ids.length > 1 ? ' …' : ''})`;

/** What cannot be taken back, in words. */
function actsOf({ replacements, gone = [] }: Job): string[] {
  const changed = replacements.flatMap(({ ids }) => ids);
  return [
    ...(changed.length > 0 ? [`replace ${named(changed, 'changed row')}`] : []),
    ...(gone.length > 0 ? [`delete ${named(gone, 'row')} gone at the source`] : []),
  ];
}

async function deleteAll(context: StepContext, job: Job): Promise<void> {
  const ids = idsOf(job);
  await noteDeletedIds(context, job.dataset, ids);
  await noteDeletion(context, job.dataset, job.idField, ids);
  await deleteRows(context, job, ids);
}

/** Fails where a row of the ids is left, or where rows beyond them are gone too. */
async function checkCommitted(context: StepContext, job: Job): Promise<void> {
  const ids = idsOf(job);
  const left = await awaitKnownRows(context, job, ids, (known) => known.size === 0);
  if (left.size > 0)
    throw new Inconclusive(
      `${left.size} of ${ids.length} rows whose deletion was ordered are still there after the update (first ${JSON.stringify([...left.keys()][0])}), so they cannot be added anew: build a map of the dataset, which commits the deletion, and run again`,
    );
  const wanted = job.before - ids.length;
  const { total_datums_in_project: rows } = await awaitDataset(
    context,
    job.dataset,
    (project) => project.total_datums_in_project === wanted,
  );
  if (rows !== wanted)
    throw new Inconclusive(
      `the service counts ${rows} rows after ${ids.length} of ${job.before} were deleted, not ${wanted}: an earlier deletion was committed too, or something else wrote to the dataset. Run again: rows that are missing are added again`,
    );
}

async function addAll(context: StepContext, { dataset, idField, replacements }: Job): Promise<void> {
  for (const { file, ids } of replacements) await addRows(context, { dataset, idField, file }, { ids, all: false });
}

/** Reads every new row back: one that was skipped, or taken by a deletion that was delivered late, would be missing in silence. */
async function checkAll(context: StepContext, job: Job): Promise<void> {
  for (const { file, ids } of job.replacements) {
    const shard: ShardRows = await context.tables.readShard(file);
    const sent = new Map(shard.ids.map((id, at) => [id, shard.rows[at]!]));
    const differs = (known: ReadonlyMap<string, Record<string, unknown>>): string[] =>
      ids.filter((id) => !known.has(id) || !sameRow(sent.get(id)!, known.get(id)!));
    const wrong = differs(await awaitKnownRows(context, job, ids, (known) => differs(known).length === 0));
    if (wrong.length > 0)
      throw new Inconclusive(
        `${wrong.length} of ${ids.length} replaced rows are missing or not as they were sent (first ${JSON.stringify(wrong[0])}): a deletion was delivered late, or the service did not take them. Run again: rows that are missing are added again`,
      );
  }
}
