import { BudgetSpent } from '../../errors/classes.ts';
import { innerIntents, type Intents } from '../../store/intents.ts';
import type { FateGroup } from '../../store/run-store.ts';
import { ledgerRow, triedItem, triedOf, unendedRows, type Ended, type TriedItem } from '../own/ledger-rows.ts';
import type { NamedItem } from './items.ts';
import { asked, isLaunched, isLaunchOpen, launchedIn } from './launch.ts';
import type { Fate, Pass } from './pass.ts';
import { spentIn } from './spent.ts';

/** Attempts of an item whose calls fail by what may pass. */
const mostAttempts = 10;

/** The calls of one item in the journal of its chunk. */
export const intentsOf = (intents: Intents, at: number): Intents => innerIntents(intents, `${at} `);

/** Of an item whose agent has not ended. */
const runningRow = ({ key }: NamedItem, agent: string): FateGroup => ({
  items: [key],
  fate: { status: 'running', reason: `agent ${agent} goes on, and so does a rerun with it`, attempts: 1 },
});

/** How the items of a chunk have ended, by their numbers: kept in its journal, so that an attempt after a kill knows it too. */
export function createEnds(items: readonly NamedItem[], { context, caps, input }: Pick<Pass, 'context' | 'caps' | 'input'>) {
  const intents = context.intents();
  const ended = new Map<number, Ended>();
  for (const at of items.keys()) {
    const known = intents.state(String(at));
    if (known.is === 'done') ended.set(at, known.result as Ended);
  }
  const triedBefore = (at: number): number => triedOf(intents, at)?.attempts ?? 0;
  const ownOf = (at: number): Intents => intentsOf(intents, at);
  /**
   * Nothing is under way of an item: what it is known to have cost counts, else what was set aside for its agent, if there is one. Where
   * none was launched no trace is left: one that was capped, and whose end a kill has taken, asks its cap again.
   */
  const settle = (at: number): void => {
    const { key } = items[at]!;
    if (isLaunched(ownOf(at))) caps?.settle(key);
    else caps?.release(key);
  };
  const end = (at: number, fate: Fate): void => {
    const whole: Ended = { ...fate, attempts: 1 + triedBefore(at) };
    settle(at);
    intents.done(String(at), whole);
    ended.set(at, whole);
    context.progress({ done: ended.size, total: items.length, unit: 'agents' });
  };
  /**
   * Ends an item whose calls fail. Its agent, where it has one, is there and has cost what it has: a rerun goes on with it. Of several
   * that may be its own, it is known what they have cost so far. Where a launch of its was sent, nobody knows whether it has one.
   */
  const endFailed = (at: number, verdict: 'failed' | 'unknown', why: string): void => {
    const own = ownOf(at);
    const agent = launchedIn(own);
    const spent = spentIn(own);
    const isUnknown = verdict === 'failed' && isLaunchOpen(own);
    const status = isUnknown ? 'unknown' : verdict;
    const reason = isUnknown ? `${why}; its agent may have been launched: ${asked(context.run.id, items[at]!.key)}` : why;
    if (agent !== undefined) return end(at, { status, reason, goesOn: true, result: { agent, ...spent } });
    if (spent) caps?.commit(items[at]!.key, Math.max(spent.cost_usd, input.cap?.item ?? 0));
    end(at, { status, reason, ...(spent ? { result: spent } : {}) });
  };
  const isUnderWay = (at: number): boolean => !ended.has(at) && isLaunched(ownOf(at));
  /** Items that have not ended. */
  const open = (): number[] => [...items.keys()].filter((at) => !ended.has(at));
  return {
    end,
    endFailed,
    /** The step ends without an end of these: who shares a cap with them waits for them no more. */
    leaveOpen(): void {
      for (const at of open()) settle(at);
    },
    isUnderWay,
    /** That the budget has ended, as one of them says. */
    spent(): BudgetSpent | undefined {
      const [at, fate] = [...ended].find(([, { status }]) => status === 'spent') ?? [];
      return fate && new BudgetSpent(`${items[at!]!.key}: ${fate.reason}`);
    },
    open,
    /** All of them in their order; undefined while one is open. */
    all: (): Ended[] | undefined => (ended.size === items.length ? items.map((_, at) => ended.get(at)!) : undefined),
    /** Counts an attempt of an item that failed by what may pass; the last one ends it. */
    tried(at: number, reason: string): void {
      const attempts = 1 + triedBefore(at);
      if (attempts >= mostAttempts) endFailed(at, 'failed', `${reason} (${attempts} attempts)`);
      else intents.done(triedItem(at), { attempts, reason } satisfies TriedItem);
    },
    /** A look at its agent went well: failures before that were none of its own. */
    seen(at: number): void {
      if (triedBefore(at) > 0 && launchedIn(ownOf(at)) !== undefined)
        intents.done(triedItem(at), { attempts: 0, reason: '' } satisfies TriedItem);
    },
    /** What the ledger says of them. */
    fates(): FateGroup[] {
      const known = [...ended].toSorted(([a], [b]) => a - b).map(([at, fate]) => ledgerRow(items[at]!, fate));
      const open = items.flatMap((item, at): FateGroup[] => {
        if (!isUnderWay(at)) return [];
        const agent = launchedIn(ownOf(at));
        return [agent === undefined ? unendedRows([item]) : runningRow(item, agent)];
      });
      return [...known, ...open];
    },
  };
}
