import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { isAmbiguous, Throttled } from '../../client/errors.ts';
import { BadInput } from '../../errors/classes.ts';
import type { ItemFate, OwnSweep } from '../../pipelines/own/define.ts';
import { atOnceOf, partsPerChunkOf, perPartOf } from '../../pipelines/own/sweep.ts';
import type { Activity, Counts } from '../../pipelines/step.ts';
import type { ItemRecord } from '../../store/run-store.ts';
import { readSweepItems, writeSweepItems, type SweepItem } from '../../store/sweep-items.ts';
import { hadNoEffect } from '../effects/send-once.ts';
import type { StepContext } from '../frame/context.ts';
import { checkAllDone } from '../items/all-done.ts';
import { checkTolerance } from '../items/tolerance.ts';

type State = { list: string; items: number; parts: number; perPart: number; partsPerChunk: number };
type Output = { items: number; done: number; failed: number; statuses: Counts };
type Fate = { status: string; reason?: string; request_id?: string };

/** Shortest time between two tellings of how far a chunk is. */
const progressMs = 250;

/** Counts of a chunk have a name of their own for progress. */
const word = /^[a-z][a-z_-]{0,31}$/;

/** A user's sweep as the activities of a step: items into the store, chunks of them worked on, their fates into the ledger. */
export const ownSweep = (own: OwnSweep): Activity<any, Output, 'sweep'> => ({
  async prepare(input, context) {
    const perPart = perPartOf(own);
    const list = join(context.step, context.attemptId);
    let items = 0;
    let parts = 0;
    let pending: SweepItem[] = [];
    const flush = async (): Promise<void> => {
      await writeSweepItems(context.store, list, parts++, pending);
      pending = [];
      context.progress({ done: items, unit: 'items', note: 'listing' });
    };
    for await (const item of await own.items(input, context)) {
      if (JSON.stringify(item) === undefined) throw new BadInput('bad_input', `item ${items} is not plain JSON`);
      pending.push({ key: own.key?.(item) ?? keyOf(item, items), item });
      items++;
      if (pending.length === perPart) await flush();
    }
    if (pending.length > 0) await flush();
    const partsPerChunk = partsPerChunkOf(own, parts);
    return { chunks: Math.ceil(parts / partsPerChunk), items, state: { list, items, parts, perPart, partsPerChunk } satisfies State };
  },

  async chunk(_, { list, parts, perPart, partsPerChunk }: State, index, context) {
    const items: SweepItem[] = [];
    const first = index * partsPerChunk;
    for (let part = first; part < Math.min(parts, first + partsPerChunk); part++)
      items.push(...(await readSweepItems(context.store, list, part)));
    const fates = await workOn(own, items, first * perPart, context);
    await context.store.items(
      context.step,
      index,
      items.map(({ key }, at): ItemRecord => ({ item: key, attempts: context.attempt, ...fates[at]! })),
    );
    const counts: Counts = { done: items.length };
    for (const { status } of fates) if (status !== 'done') counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  },

  async finish(_, { items }: State, { done: ended = 0, ...others }, context) {
    checkAllDone(ended, items);
    for (const status of new Set(['failed', 'unknown', ...Object.keys(context.tolerate)])) {
      const [first] = others[status] ? await context.store.readItems({ step: context.step, status, limit: 1 }) : [];
      checkTolerance(context, status, others[status] ?? 0, items, first && `${first.item}: ${first.reason ?? 'no reason given'}`);
    }
    for (const folder of ['sweeps', 'intents']) await rm(context.store.path(folder, context.step), { recursive: true, force: true });
    const done = items - Object.values(others).reduce((sum, count) => sum + count, 0);
    return { items, done, failed: others['failed'] ?? 0, statuses: { ...(done > 0 ? { done } : {}), ...others } };
  },
});

const keyOf = (item: unknown, number: number): string => {
  if (typeof item === 'string' || typeof item === 'number') return String(item);
  const { id } = (item ?? {}) as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? String(id) : String(number);
};

/** The fate of every item: what an attempt that was lost had ended already is not done again. */
async function workOn(own: OwnSweep, items: SweepItem[], first: number, context: StepContext): Promise<Fate[]> {
  const intents = context.intents();
  const never = own.effect === 'never';
  const fates = new Map<number, Fate>();
  let again: Error | undefined;
  let shownAt = 0;
  const end = (at: number, fate: Fate): void => {
    intents.done(String(at), fate);
    fates.set(at, fate);
    if (performance.now() < shownAt + progressMs) return;
    shownAt = performance.now();
    context.progress({ done: fates.size, total: items.length, unit: 'items' });
  };
  const work = async (at: number): Promise<void> => {
    // The class is closed: the next item would only hear the same.
    if (again instanceof Throttled || context.signal.aborted) return;
    try {
      if (never) await intents.begin(String(at), { operation: own.name });
      await context.fence();
      end(at, checked(own, await own.each(items[at]!.item, { ...itemContext(context), index: first + at })));
    } catch (error) {
      const harmless = hadNoEffect(error);
      if (never && harmless) intents.withdraw(String(at));
      if (context.signal.aborted) return;
      if (isRetryable(error) && (harmless || !never)) again ??= error;
      else if (never && isAmbiguous(error)) end(at, { status: 'unknown', reason: `${messageOf(error)}; ${notAgain}` });
      else end(at, { status: 'failed', reason: messageOf(error) });
    }
  };
  for (const [call, known] of intents.calls()) {
    if (known.is === 'done') fates.set(Number(call), known.result as Fate);
    else if (known.is === 'open') end(Number(call), { status: 'unknown', reason: `was begun before a kill; ${notAgain}` });
  }
  await pLimit(atOnceOf(own)).map(
    items.flatMap((_, at) => (fates.has(at) ? [] : [at])),
    work,
  );
  context.signal.throwIfAborted();
  if (again) throw again;
  return items.map((_, at) => fates.get(at)!);
}

const notAgain = "its effect is 'never', so it is not begun again";

const itemContext = ({ signal, maps, run, attempt }: StepContext) => ({ signal, maps, run, attempt });

function checked(own: OwnSweep, fate: ItemFate | void): Fate {
  const { status = 'done', reason, request_id } = fate ?? {};
  if (!word.test(status)) throw new Error(`${own.name} gave the status '${status}': a word in lower case was expected`);
  return { status, ...(reason === undefined ? {} : { reason }), ...(request_id === undefined ? {} : { request_id }) };
}

const isRetryable = (error: unknown): error is Error => error instanceof Error && 'retryable' in error && error.retryable === true;
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 1_500);
