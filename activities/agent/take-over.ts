import { basename } from 'node:path';
import { Undecided } from '../../errors/classes.ts';
import { saidOf } from '../../pipelines/own/settle.ts';
import type { AgentInput } from '../../pipelines/steps/agent/input.ts';
import { contentOf, type SweepList } from '../../store/former-fates.ts';
import { recordsOf, standing } from '../../store/former-runs.ts';
import { keepTurn } from '../../store/turns.ts';
import { openIntents } from '../../store/intents.ts';
import type { RowCall } from '../../store/row-lists.ts';
import { readSweepItems } from '../../store/sweep-items.ts';
import type { Json } from '../../text/json.ts';
import type { StepContext } from '../frame/context.ts';
import { tried, type Ended } from '../own/ledger-rows.ts';
import { intentsOf } from './ends.ts';
import type { AgentItem, NamedItem } from './items.ts';
import { isLaunchOpen, launchedIn } from './launch.ts';
import { spentByLeftBehind } from './left-behind.ts';
import { mayHaveSpentMore, spentCall, spentIn } from './spent.ts';

/**
 * What an earlier run knows of an item: how it ended, or the calls by which its agent goes on; what that has cost so far, in US dollars.
 * `underWay`: it may have cost more since, and may yet.
 */
export type TakenItem = { fate?: Ended; calls?: RowCall[]; cost?: number; underWay?: true };

/** `paidBy`: its agent, or where nobody knows which one that is, its mark. */
type Former = { run: string; content: string; mark: string; paidBy: string; isOpen: boolean } & TakenItem;

export type TakeOver = {
  /** The item as it goes on: with the mark of the run that launched its agent, and what is known of it. */
  take(item: NamedItem): { item: NamedItem; taken?: TakenItem };
  /** What agents of these runs have cost whose items are launched anew, in US dollars; `most`: what one may cost of which that is not known. */
  spentElse(most: number): Promise<number>;
  /** Agents that were there before the first of the runs. */
  before: readonly string[] | undefined;
};

/**
 * What makes an item what it is, whichever run has listed it, and wherever its files are: what its agent was launched with. What it is asked
 * afterwards is none of it, or each change of that would launch it anew. `asked`: what is asked of all items of its step.
 */
const content = ({ prompt, files }: AgentItem, asked: string): string =>
  contentOf(`${asked} ${JSON.stringify([prompt, files.map(({ slot, path, sha256 }) => [slot, basename(path), sha256])])}`);

/** What a step asks beside what its items say: of the agents of another workflow something else was asked. */
export const askedBy = ({ workflow, version }: Pick<AgentInput, 'workflow' | 'version'>): string =>
  JSON.stringify([workflow ?? null, version ?? null]);

export const beforeFile = (step: string): string => `agents/${step}/before.json`;

/**
 * What a rerun takes over of the runs before it, by the names of the items: one that has finished keeps its end and is not paid twice, one
 * whose agent is under way, or has left what could not be fetched, goes on with it, as does one of whose launch nobody knows the end: it is
 * looked up again, unless a person has said what became of it. All others are launched anew. Fails with `Undecided` where the records of a
 * run are gone.
 */
export async function takeOver(input: AgentInput, context: StepContext): Promise<TakeOver> {
  await keepTurn(context);
  const items = new Map<string, Former>();
  // By who was paid: a run that took an item over knows it too.
  const costs = new Map<string, number>();
  // What they have cost is not known, or not all of it.
  const unsure = new Set<string>();
  const goOn = new Set<string>();
  let before: readonly string[] | undefined;
  const runs = await standing(context.run.former?.runs ?? [], context);
  for (const of of runs.toReversed()) {
    const records = await recordsOf(of, context);
    if (!records) continue;
    if ('why' in records)
      throw new Undecided(`run ${records.run} may have launched agents of ${context.step}, and nobody knows which: ${records.why}`);
    const { former, name } = records;
    const facts = await former.readJson<SweepList>(`sweeps/${name}/list.json`);
    if (facts?.use !== 'agent.run') continue;
    before ??= await former.readJson<readonly string[]>(beforeFile(name));
    for (let part = 0; part < facts.parts; part++) {
      const intents = openIntents(former, [name, 'chunk', String(part)], 'reader');
      for (const [at, { key, item }] of (await readSweepItems(former, facts.list, part)).entries()) {
        const listed = JSON.parse(item) as AgentItem;
        const ended = intents.state(String(at));
        const fate = ended.is === 'done' ? (ended.result as Ended) : undefined;
        const own = intentsOf(intents, at);
        const isOpen = isLaunchOpen(own);
        const calls: RowCall[] = [...own.calls()].flatMap(([call, state]): RowCall[] => {
          // Its attempts begin anew; what several agents have cost is not what the one has that is found.
          if (state.is === 'new' || call === tried || (isOpen && call === spentCall)) return [];
          return [state.is === 'done' ? { call, result: state.result as Json } : { call, open: state.intents }];
        });
        // An item that was itself taken over has its end in the journal, and no calls.
        const { agent: known, cost_usd: paid } = fate?.result ?? {};
        const launched = launchedIn(own);
        const agent = launched ?? (typeof known === 'string' ? known : undefined);
        const cost = spentIn(own)?.cost_usd ?? (typeof paid === 'number' ? paid : undefined);
        const paidBy = agent ?? listed.mark;
        if (cost !== undefined) costs.set(paidBy, cost);
        if (launched !== undefined) unsure[mayHaveSpentMore(own) ? 'add' : 'delete'](launched);
        // A run that ended before it came to the item had taken over what was known of it.
        if (fate === undefined && calls.length === 0 && items.has(key)) continue;
        const goesOn = fate === undefined ? calls.length > 0 : fate.goesOn === true || isOpen;
        items.set(key, {
          run: of.run,
          isOpen,
          paidBy,
          content: content(listed, facts.asked ?? ''),
          mark: listed.mark,
          ...(fate?.status === 'done' ? { fate } : {}),
          ...(goesOn ? { calls } : {}),
          ...(goesOn && mayHaveSpentMore(own) ? { underWay: true } : {}),
          ...(cost !== undefined ? { cost } : {}),
        });
      }
    }
  }
  return {
    before,
    async spentElse(most) {
      const sure = [...costs].reduce((sum, [paidBy, cost]) => sum + (goOn.has(paidBy) || unsure.has(paidBy) ? 0 : cost), 0);
      return sure + (await spentByLeftBehind([...unsure.difference(goOn)], most, context));
    },
    take(named) {
      const known = items.get(named.key);
      if (!known || known.content !== content(named.item, askedBy(input)) || (!known.fate && !known.calls)) return { item: named };
      const item = { ...named, item: { ...named.item, mark: known.mark } };
      const { fate, calls, cost, underWay, paidBy, run, isOpen } = known;
      const said = isOpen ? saidOf(context.run.former?.settled, named.key) : undefined;
      if (said === 'again') return { item: named };
      // What those have cost that may be its own counts beside what its own may cost.
      if (isOpen && said === undefined) return { item, taken: { calls: calls! } };
      goOn.add(paidBy);
      const settled = { status: 'done', reason: `a person says: done by run ${run}`, attempts: 0, result: { cost_usd: cost ?? 0 } };
      const end = said === 'done' ? { fate: settled } : { ...(fate && { fate }), ...(calls && { calls }), ...(underWay && { underWay }) };
      return { item, taken: { ...end, ...(cost !== undefined && { cost }) } };
    },
  };
}
