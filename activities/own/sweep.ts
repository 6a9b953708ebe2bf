import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BadInput } from '../../errors/classes.ts';
import type { OwnSweep } from '../../pipelines/own/define.ts';
import { itemColumn, resultColumns } from '../../pipelines/own/result-columns.ts';
import { partsPerChunkOf, perPartOf } from '../../pipelines/own/sweep.ts';
import type { Activity } from '../frame/activity.ts';
import type { Counts } from '../../pipelines/phases.ts';
import { resultsOf, writeResults } from '../../store/results.ts';
import { readTaken, writeSweepList, writeTaken } from '../../store/former-fates.ts';
import type { StepContext } from '../frame/context.ts';
import { readSweepItems, writeSweepItems, type SweepItem } from '../../store/sweep-items.ts';
import { checkAllDone } from '../items/all-done.ts';
import { checkTolerance } from '../items/tolerance.ts';
import { doorsOf } from './context.ts';
import { workOn } from './items.ts';
import { begunOf, type Ended } from './ledger-rows.ts';
import { takeOver, type TakeOver } from './take-over.ts';
import { secretsRead } from './secrets.ts';
import type { OwnFile } from './thread/host/threads.ts';
import { counted, triedBefore } from './tried.ts';
import { withThread } from './with-thread.ts';

type State = { list: string; items: number; parts: number; perPart: number; partsPerChunk: number };
type Output = { items: number; done: number; failed: number; statuses: Counts; results?: string };

/** A user's sweep as the activities of a step: items into the store, chunks of them worked on, their fates into the ledger. */
export const ownSweep = (own: OwnSweep, file: OwnFile): Activity<any, Output, 'sweep'> => ({
  async prepare(input, context) {
    const perPart = perPartOf(own);
    const list = join(context.step, context.attemptId);
    const keys = new Set<string>();
    let items = 0;
    let parts = 0;
    let pending: SweepItem[] = [];
    const before = await takeOver(own, context);
    const flush = async (): Promise<void> => {
      await writeSweepItems(context.store, list, parts++, pending);
      pending = [];
      context.progress({ done: items, unit: 'items', note: 'listing' });
    };
    const take = async (listed: readonly SweepItem[]): Promise<void> => {
      for (const { key, item } of listed) {
        secretsRead.refuse(`the key of item ${items}`, key);
        secretsRead.refuseIn(`item ${items}`, item);
        // What was done to an item is known by its name, in a rerun too.
        if (own.effect === 'never' && keys.size === keys.add(key).size)
          throw new BadInput(
            'bad_input',
            `two items are named '${key}'; with effect 'never' each needs a name of its own: give the sweep a key`,
          );
        pending.push({ key, item });
        items++;
        if (pending.length === perPart) await flush();
      }
    };
    await withThread(file, { own, name: 'items' }, context, (lease, called) =>
      counted(called, lease, context, async () => {
        const { id, pipeline } = context.run;
        const facts = { input, batch: perPart, attempt: triedBefore(context).attempts + 1, run: { id, pipeline } };
        const doors = { ...doorsOf(own, context, { scope: 'items' }), list: take };
        await lease.call({ method: 'items', input: facts, doors, signal: context.signal }).ended;
      }),
    );
    if (pending.length > 0) await flush();
    const partsPerChunk = partsPerChunkOf(own, parts);
    if (before) await takeFates(before, list, { parts, partsPerChunk }, context);
    // Last: a list without the fates that belong to it would say of every item that nothing was done.
    if (own.effect === 'never')
      await writeSweepList(context.store, context.step, { use: own.name, list, items, parts, perPart, partsPerChunk });
    return { chunks: Math.ceil(parts / partsPerChunk), items, state: { list, items, parts, perPart, partsPerChunk } satisfies State };
  },

  async chunk(_, state: State, index, context) {
    const { list, perPart, partsPerChunk } = state;
    const items = await itemsOf(state, index, context);
    const first = index * partsPerChunk;
    const taken = own.effect === 'never' ? await readTaken<Ended>(context.store, list, index) : {};
    const underWay = (): string[] => items.flatMap(({ key }, at) => (context.intents().state(String(at)).is === 'open' ? [key] : []));
    const ended = await withThread(file, { own, name: 'each', underWay }, context, async (lease, called) => {
      await counted(called, lease, context, async () => undefined);
      return workOn(own, items, { file: file.file, first: first * perPart, taken, lease }, context);
    });
    if (own.result) {
      const rows = items.flatMap(({ key }, at) => (ended[at]!.result === undefined ? [] : [{ [itemColumn]: key, ...ended[at]!.result }]));
      // What a later attempt has written stays.
      await context.fence();
      await writeResults(context.store, context.step, index, resultColumns(own.result), rows);
    }
    const counts: Counts = { done: items.length };
    for (const { status } of ended) if (status !== 'done') counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  },

  async sent(_, state: State, index, context) {
    return begunOf(await itemsOf(state, index, context), context);
  },

  async finish(_, { items }: State, { done: ended = 0, ...others }, context) {
    checkAllDone(ended, items);
    for (const status of new Set(['unknown', 'failed', ...Object.keys(context.tolerate)])) {
      const [first] = others[status] ? await context.store.readItems({ step: context.step, status, limit: 1 }) : [];
      checkTolerance(context, status, others[status] ?? 0, items, first && `${first.item}: ${first.reason ?? 'no reason given'}`);
    }
    if (own.result && items === 0) await writeResults(context.store, context.step, 0, resultColumns(own.result), []);
    // With effect `never` a rerun asks what was done.
    if (own.effect !== 'never')
      for (const folder of ['sweeps', 'intents']) await rm(context.store.path(folder, context.step), { recursive: true, force: true });
    const done = items - Object.values(others).reduce((sum, count) => sum + count, 0);
    return {
      items,
      done,
      failed: others['failed'] ?? 0,
      statuses: { ...(done > 0 ? { done } : {}), ...others },
      ...(own.result ? { results: resultsOf(context.store, context.step) } : {}),
    };
  },
});

/** Items of a chunk. */
async function itemsOf({ list, parts, partsPerChunk }: State, index: number, context: StepContext): Promise<SweepItem[]> {
  const items: SweepItem[] = [];
  for (let part = index * partsPerChunk; part < Math.min(parts, (index + 1) * partsPerChunk); part++)
    items.push(...(await readSweepItems(context.store, list, part)));
  return items;
}

/** The fates that this run takes over of the one before it: known before the first item is begun. */
async function takeFates(
  before: TakeOver,
  list: string,
  { parts, partsPerChunk }: Pick<State, 'parts' | 'partsPerChunk'>,
  context: StepContext,
): Promise<void> {
  for (let chunk = 0; chunk * partsPerChunk < parts; chunk++) {
    let at = 0;
    for (let part = chunk * partsPerChunk; part < Math.min(parts, (chunk + 1) * partsPerChunk); part++)
      for (const item of await readSweepItems(context.store, list, part)) before.take(chunk, at++, item);
  }
  for (const [chunk, taken] of await before.taken()) await writeTaken(context.store, list, chunk, taken);
}
