import { ApiError } from '../../client/errors.ts';
import { NotOffered } from '../../errors/classes.ts';
import { sendOnce } from '../effects/send-once.ts';
import type { StepContext } from '../frame/context.ts';
import { datasetNow, staleIndices, stampOf, type Project } from '../../contracts/maps/coverage.ts';
import { update } from '../../contracts/maps/indices.ts';
import { askOf, lookupOf } from '../effects/lookup-of.ts';
import { deletionsOf } from './deletions.ts';

/** An order to update the maps of a dataset, with what was known before it: its end is seen by what changes. */
export type UpdateOrder = {
  dataset: string;
  /** What it is for, in a step that orders several. */
  purpose: string;
  /** Epoch milliseconds of the order. */
  at: number;
  sent: boolean;
  /** Ids of the indices that lacked data as far as the service reported: without any nothing need change. */
  stale: string[];
  /** Lists of ids whose deletion was noted before: it commits these. */
  deleted: string[];
  /** By map: when it was last updated. */
  stamps: { [map: string]: string };
  /** By map: an error that was there before the first try of the step ordered anything for this purpose. */
  errors: { [map: string]: string };
  /** By map: an error that stood when it was ordered, such as that of the try before. */
  standing: { [map: string]: string };
};

const gone = new Set([404, 405, 410, 501]);

export const stampsOf = ({ atlas_indices }: Project): UpdateOrder['stamps'] =>
  Object.fromEntries(atlas_indices.flatMap(({ projections }) => projections.map((map) => [map.id, stampOf(map)])));

export const errorsOf = ({ maps }: Project): UpdateOrder['errors'] =>
  Object.fromEntries(maps.flatMap(({ projection_id, error }) => (projection_id && error ? [[projection_id, error]] : [])));

/**
 * Has every map of a dataset brought up to its data, and its deletions committed. Nothing is sent where the service reports
 * no change, no deletion of this store is open, and `always` does not ask for it. The order is kept before it is sent: a later
 * attempt, which may see what it has done already, goes on from what was known before it.
 */
export async function orderUpdate(
  context: StepContext,
  dataset: string,
  { always = false, purpose = 'update' } = {},
): Promise<UpdateOrder> {
  const file = fileOf(context, ofTry(purpose, context.retry));
  const kept = await context.store.readJson<UpdateOrder>(file);
  const order = kept ?? (await context.store.keepJson(file, await newOrder(context, dataset, always, purpose)));
  if (order.sent) await sendUpdate(context, order);
  return order;
}

const fileOf = ({ step }: StepContext, purpose: string): string => `updates/${step}/${purpose}.json`;

const lastFile = ({ step }: StepContext): string => `updates/${step}/last.json`;

/**
 * When an update of this step was last ordered again, or an order of it answered (epoch milliseconds): from then on it may begin. 0 where
 * neither is known.
 */
export const lastOrdered = async (context: StepContext): Promise<number> =>
  (await context.store.readJson<{ at: number }>(lastFile(context)))?.at ?? 0;

/** Keeps that an update of this step is ordered now. */
export const keepOrdered = (context: StepContext): Promise<void> => context.store.writeJson(lastFile(context), { at: Date.now() });

/** Each try orders its own update: the one of the try before came to nothing. */
const ofTry = (purpose: string, retry: number): string => (retry === 0 ? purpose : `${purpose}-${retry}`);

/** The first order that this step has kept for a purpose, of whichever try; undefined where none was made. */
async function firstOrder(context: StepContext, purpose: string): Promise<UpdateOrder | undefined> {
  for (let retry = 0; retry <= context.retry; retry++) {
    const order = await context.store.readJson<UpdateOrder>(fileOf(context, ofTry(purpose, retry)));
    if (order) return order;
  }
  return undefined;
}

/** Whether this step has ordered an update for a purpose, in whichever try. */
export const wasOrdered = async (context: StepContext, purpose: string): Promise<boolean> =>
  (await firstOrder(context, purpose)) !== undefined;

async function newOrder(context: StepContext, dataset: string, always: boolean, purpose: string): Promise<UpdateOrder> {
  const now = await datasetNow(dataset, askOf(context));
  const stale = staleIndices(now);
  const deletions = await deletionsOf(context, dataset);
  // An error of an earlier try was not there before the step: what it meets again fails it again.
  const first = await firstOrder(context, purpose);
  const standing = errorsOf(now.project);
  return {
    dataset,
    purpose: ofTry(purpose, context.retry),
    at: Date.now(),
    sent: always || stale.length > 0 || deletions.open,
    stale,
    deleted: deletions.lists,
    stamps: stampsOf(now.project),
    errors: first?.errors ?? standing,
    standing,
  };
}

/** Sends an order; `again` numbers a further sending. Throws `NotOffered` where the service knows no such operation. */
export async function sendUpdate(context: StepContext, { dataset, purpose, stale }: UpdateOrder, again = 0): Promise<void> {
  const request = { project_id: dataset };
  await sendOnce(context, {
    operation: 'maps.indices.update',
    input: { ...request, purpose, again },
    // What was known before the order, of which a later attempt may see the end already.
    lookup: { ...lookupOf(update, update.input.parse(request), context), before: async () => stale },
    async send() {
      await context.maps.indices.update(request, { signal: context.signal });
      await keepOrdered(context);
      return null;
    },
  }).catch((error: unknown) => {
    if (!(error instanceof ApiError && gone.has(error.status))) throw error;
    throw new NotOffered(
      `the service offers no update of indices any more (${error.message}). Build a new map of the data instead: index.build with onChange: rebuild`,
    );
  });
}
