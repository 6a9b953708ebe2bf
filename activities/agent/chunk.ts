import pLimit from 'p-limit';
import { ApiError, NetworkError } from '../../client/errors.ts';
import { isWait } from '../../client/wait.ts';
import { Inconclusive, Unavailable, Undecided } from '../../errors/classes.ts';
import { innerIntents } from '../../store/intents.ts';
import { notYet } from '../frame/failure.ts';
import { GivenAway } from '../frame/fence.ts';
import type { StepContext } from '../frame/context.ts';
import { ledgerRow, triedItem, unendedRows, type Ended, type TriedItem } from '../own/ledger-rows.ts';
import { advance } from './advance.ts';
import { fileName } from './collect.ts';
import { launchCalls } from './launch.ts';
import type { NamedItem } from './items.ts';
import type { Pass } from './pass.ts';
import type { TakenItem } from './take-over.ts';

/** Items that are looked at at a time. */
const atOnce = 8;

/** Attempts of an item whose calls fail by what may pass. */
const mostAttempts = 10;

const isSpent = (error: unknown): boolean => error instanceof ApiError && error.code === 'spend_limit_reached';

const mayPass = (error: unknown): boolean =>
  error instanceof NetworkError || (error instanceof Error && 'retryable' in error && error.retryable === true);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The context of a step whose calls stand in the journal of the chunk under the name of one item. */
const ownOf = (context: StepContext, at: number): StepContext => ({
  ...context,
  intents: () => innerIntents(context.intents(), `${at} `),
});

/** Puts what an earlier run knows of an item into the journal of this one, before anything is done. */
async function carry(at: number, { fate, calls = [] }: TakenItem, context: StepContext): Promise<void> {
  const intents = context.intents();
  if (fate && intents.state(String(at)).is === 'new') intents.done(String(at), fate);
  const inner = innerIntents(intents, `${at} `);
  for (const each of calls) {
    const { is, intents: known } = inner.state(each.call);
    if (is !== 'new' || known.length > 0) continue;
    if ('result' in each) inner.done(each.call, each.result);
    else for (const intent of each.open) await inner.begin(each.call, intent);
  }
}

/**
 * Looks once at every item of a chunk that has not ended, and takes each as far as it can go. Fails with "not yet" while one of them is
 * open: the server sends the chunk again when it is time, without an event and without holding a slot. What is known of an item stands in the
 * journal of the chunk, so that an attempt after a kill knows it too.
 */
export async function lookAt(
  items: readonly NamedItem[],
  { pass: given, folder, taken }: { pass: Omit<Pass, 'mayLaunch'>; folder: string; taken: { [at: number]: TakenItem } },
): Promise<Ended[]> {
  const { context, input } = given;
  const intents = context.intents();
  for (const [at, known] of Object.entries(taken)) await carry(Number(at), known, context);
  const ended = new Map<number, Ended>();
  for (const at of items.keys()) {
    const known = intents.state(String(at));
    if (known.is === 'done') ended.set(at, known.result as Ended);
  }
  let closed: Error | undefined;
  let spent: Error | undefined;
  let stop: Error | undefined;
  let waitMs = input.everySeconds * 1_000;
  // Items that could go on if something might be launched.
  const held = new Set<number>();
  const passOf = (at: number): Pass => ({
    ...given,
    mayLaunch: () => {
      const may = closed === undefined && spent === undefined;
      if (!may) held.add(at);
      return may;
    },
  });
  const end = (at: number, fate: Omit<Ended, 'attempts'>): void => {
    const tried = intents.state(triedItem(at));
    const whole: Ended = { ...fate, attempts: 1 + (tried.is === 'done' ? (tried.result as TriedItem).attempts : 0) };
    const { key } = items[at]!;
    if (fate.result === undefined && given.caps) {
      const launched = [...innerIntents(intents, `${at} `).calls()].some(([call, { is }]) => call.startsWith(launchCalls) && is !== 'new');
      if (launched) given.caps.settle(key);
      else given.caps.commit(key, 0);
    }
    intents.done(String(at), whole);
    ended.set(at, whole);
    context.progress({ done: ended.size, total: items.length, unit: 'agents' });
  };
  const work = async (at: number): Promise<void> => {
    if (stop || context.signal.aborted) return;
    const item = items[at]!;
    try {
      const fate = await advance(item, `${folder}/${String(at).padStart(3, '0')}-${fileName(item.key)}`, passOf(at), ownOf(context, at));
      if (fate) end(at, fate);
    } catch (error) {
      if (context.signal.aborted) return;
      if (error instanceof GivenAway || error instanceof Unavailable) stop = error;
      else if (isWait(error)) {
        waitMs = Math.min(waitMs, error.waitMs);
        if (error.operation === 'instance.agents.launch' || error.operation === 'instance.agents.followup') closed = error;
        else stop = error;
      } else if (isSpent(error)) {
        spent = error as Error;
        held.add(at);
      } else if (error instanceof Undecided || error instanceof Inconclusive) end(at, { status: 'unknown', reason: messageOf(error) });
      else if (mayPass(error)) {
        const tried = intents.state(triedItem(at));
        const attempts = 1 + (tried.is === 'done' ? (tried.result as TriedItem).attempts : 0);
        if (attempts >= mostAttempts) end(at, { status: 'failed', reason: `${messageOf(error)} (${attempts} attempts)` });
        else intents.done(triedItem(at), { attempts, reason: messageOf(error) } satisfies TriedItem);
      } else end(at, { status: 'failed', reason: messageOf(error) });
    }
  };
  try {
    await pLimit(atOnce).map(
      [...items.keys()].filter((at) => !ended.has(at)),
      (at) => work(at),
    );
  } finally {
    context.fates([...ended].toSorted(([a], [b]) => a - b).map(([at, fate]) => ledgerRow(items[at]!, fate)));
    const open = items.filter((_, at) => !ended.has(at) && innerIntents(intents, `${at} `).calls().size > 0);
    if (open.length > 0) context.fates([unendedRows(open)]);
  }
  context.signal.throwIfAborted();
  if (stop) throw stop;
  if (ended.size === items.length) return items.map((_, at) => ended.get(at)!);
  const underWay = items.some((_, at) => !ended.has(at) && !held.has(at) && innerIntents(intents, `${at} `).calls().size > 0);
  // What is under way is seen to its end first: it has been paid for.
  if (spent && !underWay) throw spent;
  throw notYet(waitMs, `${ended.size} of ${items.length} agents have ended${closed ? `; ${closed.message}` : ''}`);
}
