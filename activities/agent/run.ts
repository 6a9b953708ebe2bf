import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { BadInput } from '../../errors/classes.ts';
import { agentColumns, agentsInChunk, type AgentInput, type definition } from '../../pipelines/steps/agent/run.ts';
import { readTaken, writeSweepList, writeTaken } from '../../store/former-fates.ts';
import { innerIntents } from '../../store/intents.ts';
import { openReservations } from '../../store/reservations.ts';
import { resultsOf, writeResults } from '../../store/results.ts';
import { readSweepItems, writeSweepItems } from '../../store/sweep-items.ts';
import type { ActivityOf } from '../frame/activity.ts';
import type { StepContext } from '../frame/context.ts';
import { checkAllDone } from '../items/all-done.ts';
import { checkTolerance } from '../items/tolerance.ts';
import type { Counts } from '../../pipelines/phases.ts';
import { lookAt } from './chunk.ts';
import { itemsOf, type AgentItem, type NamedItem } from './items.ts';
import { liveAgents, newestAgents } from './sightings.ts';
import { beforeFile, takeOver, type TakenItem } from './take-over.ts';

type State = { list: string; items: number; parts: number };

/** Billionths of a dollar that a chunk has cost, among its counts: whole numbers, so that their sum is exact. */
const costCount = '$nanoUsd';

const listed = async ({ store }: StepContext, list: string, part: number): Promise<NamedItem[]> =>
  (await readSweepItems(store, list, part)).map(({ key, item }) => ({ key, item: JSON.parse(item) as AgentItem }));

/** Agents for the rows of a table. A chunk of items is one activity that comes back until all of them have ended. */
const activity: ActivityOf<typeof definition> = {
  async prepare(input: AgentInput, context) {
    const { store, step } = context;
    const list = join(step, context.attemptId);
    const formers = await takeOver(context);
    const before = await store.keepJson(beforeFile(step), formers.before ?? (await newestAgents(context)));
    if (!Array.isArray(before)) throw new BadInput('bad_input', `${beforeFile(step)} is no list of agents`);
    const keys = new Set<string>();
    let parts = 0;
    const rows = join('agents', step, context.attemptId);
    for await (const items of itemsOf(input, rows, context)) {
      const taken: { [at: number]: TakenItem } = {};
      const known = items.map((item, at) => {
        if (keys.has(item.key))
          throw new BadInput('bad_input', `two items are named '${item.key}': key must be a column of values that differ`);
        keys.add(item.key);
        const gone = formers.take(item);
        if (gone.taken) taken[at] = gone.taken;
        return gone.item;
      });
      await writeSweepItems(
        store,
        list,
        parts,
        known.map(({ key, item }) => ({ key, item: JSON.stringify(item) })),
      );
      await writeTaken(store, list, parts, taken);
      parts++;
    }
    await rm(store.path(rows), { recursive: true, force: true });
    await writeSweepList(store, step, { use: 'agent.run', list, items: keys.size, parts, perPart: agentsInChunk, partsPerChunk: 1 });
    return { chunks: parts, items: keys.size, unit: 'agents', state: { list, items: keys.size, parts } satisfies State };
  },

  async chunk(input: AgentInput, { list }: State, index, context) {
    const items = await listed(context, list, index);
    const { store, step } = context;
    const total = input.cap?.total;
    const reservations = total === undefined ? undefined : await openReservations(store, step, total);
    try {
      const before = (await store.readJson<readonly string[]>(beforeFile(step))) ?? [];
      let live: ReturnType<typeof liveAgents> | undefined;
      const pass = {
        input,
        context,
        before,
        live: () => (live ??= liveAgents(context, (input.everySeconds * 1_000) / 2)),
        reservations,
      };
      const folder = join('agents', step, String(index).padStart(5, '0'));
      const ended = await lookAt(items, {
        pass,
        folder,
        taken: await readTaken<TakenItem>(store, list, index),
      });
      const none = { agent: null, turns: 0, text: null, cost_usd: 0, input_tokens: 0, output_tokens: 0, artifacts: 0, folder: null };
      const rows = ended.map(({ status, result }, at) => ({ ...none, item: items[at]!.key, status, ...result }));
      await context.fence();
      await writeResults(store, step, index, agentColumns, rows);
      const counts: Counts = { done: items.length };
      for (const { status } of ended) if (status !== 'done') counts[status] = (counts[status] ?? 0) + 1;
      counts[costCount] = rows.reduce((sum, { cost_usd }) => sum + Math.round(cost_usd * 1e9), 0);
      return counts;
    } finally {
      reservations?.close();
    }
  },

  async sent(_, { list }: State, index, context) {
    const items = await listed(context, list, index);
    const intents = context.intents();
    return items.flatMap(({ key }, at) =>
      intents.state(String(at)).is !== 'done' && innerIntents(intents, `${at} `).calls().size > 0 ? [key] : [],
    );
  },

  async finish(_, { items }: State, { done: ended = 0, [costCount]: nanoUsd = 0, ...others }, context) {
    checkAllDone(ended, items);
    for (const [status, count] of Object.entries(others)) {
      const [first] = await context.store.readItems({ step: context.step, status, limit: 1 });
      checkTolerance(context, status, count, items, first && `${first.item}: ${first.reason ?? 'no reason given'}`);
    }
    if (items === 0) await writeResults(context.store, context.step, 0, agentColumns, []);
    const done = items - Object.values(others).reduce((sum, count) => sum + count, 0);
    return {
      items,
      done,
      statuses: { ...(done > 0 ? { done } : {}), ...others },
      costUsd: nanoUsd / 1e9,
      results: resultsOf(context.store, context.step),
    };
  },
};
export default activity;
