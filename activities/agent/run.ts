import { join } from 'node:path';
import { BadInput, BudgetSpent } from '../../errors/classes.ts';
import type { AgentInput } from '../../pipelines/steps/agent/input.ts';
import { agentColumns, agentsInChunk, type definition } from '../../pipelines/steps/agent/run.ts';
import { readTaken, writeSweepList } from '../../store/former-fates.ts';
import { resultsOf, writeResults } from '../../store/results.ts';
import { readSweepItems } from '../../store/sweep-items.ts';
import type { ActivityOf } from '../frame/activity.ts';
import type { StepContext } from '../frame/context.ts';
import { checkAllDone } from '../items/all-done.ts';
import { checkTolerance } from '../items/tolerance.ts';
import { costCount, type Counts } from '../../pipelines/phases.ts';
import { openCaps } from './caps.ts';
import { lookAt } from './chunk.ts';
import { currentVersion } from './current-version.ts';
import { createEnds } from './ends.ts';
import type { AgentItem, NamedItem } from './items.ts';
import { listItems } from './list-items.ts';
import { takeOverRunCap } from './run-cap.ts';
import { liveAgents, newestAgents } from './sightings.ts';
import { askedBy, beforeFile, takeOver, type TakenItem } from './take-over.ts';

/** `version`: of the workflow, for all agents of the step. */
type State = { list: string; items: number; parts: number; version?: string };

const listed = async ({ store }: StepContext, list: string, part: number): Promise<NamedItem[]> =>
  (await readSweepItems(store, list, part)).map(({ key, item }) => ({ key, item: JSON.parse(item) as AgentItem }));

/** What makes fewer items end so; others may have any cause. */
const remedies: Readonly<Record<string, string>> = {
  capped: 'Raise the cap and rerun',
  stalled: 'Raise stallSeconds and rerun',
  stopped: 'Rerun',
};

/** Agents for the rows of a table. A chunk of items is one activity that comes back until all of them have ended. */
const activity: ActivityOf<typeof definition> = {
  async prepare(input: AgentInput, context) {
    const { store, step } = context;
    const list = join(step, context.attemptId);
    const version = await currentVersion(input, context);
    const formers = await takeOver(input, context);
    const gone = input.cap?.run === undefined ? [] : await takeOverRunCap(context);
    const before = await store.keepJson(beforeFile(step), formers.before ?? (await newestAgents(context)));
    if (!Array.isArray(before)) throw new BadInput('bad_input', `${beforeFile(step)} is no list of agents`);
    const { items, parts } = await listItems(input, list, { formers, gone }, context);
    const facts = { use: 'agent.run', list, items, parts, perPart: agentsInChunk, partsPerChunk: 1, asked: askedBy(input) };
    await writeSweepList(store, step, facts);
    return {
      chunks: parts,
      items,
      unit: 'agents',
      state: { list, items, parts, ...(version === undefined ? {} : { version }) } satisfies State,
    };
  },

  async chunk(input: AgentInput, { list, version }: State, index, context) {
    const items = await listed(context, list, index);
    const { store, step } = context;
    const caps = await openCaps(input, context);
    try {
      const before = (await store.readJson<readonly string[]>(beforeFile(step))) ?? [];
      let live: ReturnType<typeof liveAgents> | undefined;
      const pass = {
        input: version === undefined ? input : { ...input, version },
        context,
        before,
        live: () => (live ??= liveAgents(context, input.everySeconds * 1_000)),
        caps,
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
      caps?.close();
    }
  },

  async sent(input: AgentInput, { list }: State, index, context) {
    const caps = await openCaps(input, context);
    const ends = createEnds(await listed(context, list, index), { context, caps, input });
    // No look comes any more: who shares a cap waits for nothing of it.
    ends.leaveOpen();
    caps?.close();
    context.fates(ends.fates());
    return [];
  },

  async finish(_, { items }: State, { done: ended = 0, [costCount]: nanoUsd = 0, ...others }, context) {
    checkAllDone(ended, items);
    const firstOf = async (status: string): Promise<string | undefined> => {
      const [first] = await context.store.readItems({ step: context.step, status, limit: 1 });
      return first && `${first.item}: ${first.reason ?? 'no reason given'}`;
    };
    // No share of it is tolerated: they have not failed, and go on in a rerun.
    if (others['spent']) throw new BudgetSpent(`${others['spent']} of ${items} items: the budget ended; first: ${await firstOf('spent')}`);
    // What nobody knows comes before what failed: only a person can say it.
    for (const [status, count] of Object.entries({ unknown: 0, ...others }))
      checkTolerance(context, status, count, items, await firstOf(status), remedies[status]);
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
