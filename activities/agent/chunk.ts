import pLimit from 'p-limit';
import { isWait } from '../../client/wait.ts';
import { BudgetSpent } from '../../errors/classes.ts';
import { notYet } from '../frame/failure.ts';
import type { StepContext } from '../frame/context.ts';
import type { Ended } from '../own/ledger-rows.ts';
import { advance } from './advance.ts';
import { createEnds, intentsOf } from './ends.ts';
import { fileName } from './file-name.ts';
import type { NamedItem } from './items.ts';
import type { Pass } from './pass.ts';
import type { TakenItem } from './take-over.ts';
import { verdictOf } from './verdict.ts';
import { statusIn } from './watch.ts';

/** Items that are looked at at a time. */
const atOnce = 8;

/** In an order that is drawn anew each time. */
const shuffled = (items: readonly number[]): number[] =>
  items
    .map((at) => ({ at, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ at }) => at);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Puts what an earlier run knows of an item into the journal of this one, before anything is done. */
async function carry(at: number, { fate, calls = [] }: TakenItem, context: StepContext): Promise<void> {
  const intents = context.intents();
  if (fate && intents.state(String(at)).is === 'new') intents.done(String(at), fate);
  const inner = intentsOf(intents, at);
  for (const each of calls) {
    const { is, intents: known } = inner.state(each.call);
    if (is !== 'new' || known.length > 0) continue;
    if ('result' in each) inner.done(each.call, each.result);
    else for (const intent of each.open) await inner.begin(each.call, intent);
  }
}

/** What one look at a chunk has met. */
type Met = {
  /** The chunk is looked at again after this time. */
  waitMs: number;
  /** Items that could go on if something might be launched, or if others cost less than was set aside for them. */
  held: Set<number>;
  /** Why nothing more is asked in this look. */
  stop?: Error;
  /** Why nothing more is launched or prompted in it. */
  closed?: Error;
  spent?: Error;
};

/**
 * Looks once at every item of a chunk that has not ended, and takes each as far as it can go. Fails with "not yet" while one of them is
 * open: the server sends the chunk again when it is time, without an event and without holding a slot.
 */
export async function lookAt(
  items: readonly NamedItem[],
  { pass: given, folder, taken }: { pass: Omit<Pass, 'mayLaunch' | 'wait'>; folder: string; taken: { [at: number]: TakenItem } },
): Promise<Ended[]> {
  const { context, input } = given;
  for (const [at, known] of Object.entries(taken)) await carry(Number(at), known, context);
  const ends = createEnds(items, given);
  const met: Met = { waitMs: input.everySeconds * 1_000, held: new Set() };
  const spent = (): Error | undefined => met.spent ?? ends.spent();
  const mayLaunch = (at: number): boolean => {
    const may = met.closed === undefined && spent() === undefined;
    if (!may) met.held.add(at);
    return may;
  };
  const failed = (at: number, error: unknown): void => {
    if (isWait(error)) met.waitMs = Math.min(met.waitMs, error.waitMs);
    const verdict = verdictOf(error);
    if (verdict === 'unknown' || verdict === 'failed') ends.endFailed(at, verdict, messageOf(error));
    else if (verdict === 'again') ends.tried(at, messageOf(error));
    else met[verdict] = error as Error;
    if (verdict === 'spent') met.held.add(at);
  };
  const look = async (at: number): Promise<void> => {
    if (met.stop || context.signal.aborted) return;
    const into = `${folder}/${String(at).padStart(3, '0')}-${fileName(items[at]!.key)}`;
    const own: StepContext = { ...context, intents: () => intentsOf(context.intents(), at) };
    try {
      const fate = await advance(items[at]!, into, { ...given, mayLaunch: () => mayLaunch(at), wait: () => met.held.add(at) }, own);
      if (!fate) return ends.seen(at);
      await context.held();
      ends.end(at, fate);
    } catch (error) {
      if (context.signal.aborted) return;
      // Where nobody says whose the attempt is, no look at another item begins after this one.
      await context.held().then(
        () => failed(at, error),
        (why: unknown) => void (met.stop = why as Error),
      );
    }
  };
  /** That the list cannot be read now is no failure of one of them; why it is refused each of them hears. */
  const withoutList = (error: unknown): void => {
    const verdict = verdictOf(error);
    if (verdict === 'again') throw notYet(met.waitMs, messageOf(error));
    if (verdict === 'stop') throw error;
  };
  try {
    const open = Map.groupBy(ends.open(), ends.isUnderWay);
    if (open.has(true)) await given.live().catch(withoutList);
    // A limit may close in the midst of each look: in one order the last agents would never be looked at while the first ones go on.
    await pLimit(atOnce).map([...shuffled(open.get(true) ?? []), ...(open.get(false) ?? [])], look);
  } finally {
    context.fates(ends.fates());
  }
  context.signal.throwIfAborted();
  if (met.stop) throw met.stop;
  const all = ends.all();
  if (all) return all;
  const open = ends.open();
  // What is under way is seen to its end first: it has been paid for.
  const why = spent();
  if (why && !open.some((at) => !met.held.has(at) && ends.isUnderWay(at))) {
    await context.held();
    ends.leaveOpen();
    throw why instanceof BudgetSpent ? why : new BudgetSpent(`${why.message} (spend_limit_reached)`);
  }
  const asking = open.filter((at) => statusIn(intentsOf(context.intents(), at)) === 'awaiting_tool').length;
  const ended = `${items.length - open.length} of ${items.length} agents have ended${asking > 0 ? `, ${asking} wait for an answer or for agents that they have started` : ''}`;
  throw notYet(met.waitMs, met.closed ? `${ended}; ${met.closed.message}` : ended);
}
