import pLimit from 'p-limit';
import { isRetryable } from '../../client/errors.ts';
import { concernsAll } from '../frame/concerns-all.ts';
import type { Reservation } from '../../client/permit-queue.ts';
import { admit } from '../../client/permits.ts';
import { isWait } from '../../client/wait.ts';
import { Unavailable } from '../../errors/classes.ts';
import { shortageOf } from '../../errors/system.ts';
import type { ItemFate, OwnSweep } from '../../pipelines/own/define.ts';
import { attemptMsOf } from '../../pipelines/own/own-fields.ts';
import { atOnceOf, attemptsOf, limitOf } from '../../pipelines/own/sweep.ts';
import type { Taken } from '../../store/former-fates.ts';
import type { SweepItem } from '../../store/sweep-items.ts';
import { hadNoEffect } from '../effects/send-once.ts';
import type { StepContext } from '../frame/context.ts';
import { GivenAway } from '../frame/fence.ts';
import { doorsOf } from './context.ts';
import { countEffects, type EffectsLeft } from './effects-left.ts';
import { reported, withPlace } from './failure.ts';
import { callInTime, TimedOut } from './in-time.ts';
import { Interrupted, isUncertain, neverLeft, reasonOf } from './item-errors.ts';
import { ledgerRow, triedItem, triedRows, unendedRows, type Ended, type TriedItem } from './ledger-rows.ts';
import { secretsRead, whereSecretsAre } from './secrets.ts';
import { mostEnds, ThreadEnded } from './thread/host/thread-ended.ts';
import type { Lease } from './thread/host/threads.ts';
import { triedCall } from './tried.ts';

/** Shortest time between two reports of how far a chunk is. */
const progressMs = 250;

/** An item under way for so long is named in the view. */
const slowMs = 5_000;

/** Counts of a chunk have a name of their own for progress. */
const word = /^[a-z][a-z_-]{0,31}$/;

/** How every item of a chunk ended: what an attempt that was lost had ended already is not done again. */
export async function workOn(
  own: OwnSweep,
  items: SweepItem[],
  { file, first, taken, lease }: { file: string; first: number; taken: Taken<Ended>; lease: Lease },
  context: StepContext,
): Promise<Ended[]> {
  const intents = context.intents();
  const never = own.effect === 'never';
  const notAgain = `its effect is 'never', so it is not begun again${whereSecretsAre(own)}`;
  const limit = limitOf(own);
  const { permits } = context.own;
  const { run } = context;
  const ended = new Map<number, Ended>();
  const attempts = new Map<number, number>();
  const since = new Map<number, number>();
  const stops = new Set<AbortController>();
  const stopAll = (): void => stops.forEach((stop) => stop.abort(context.signal.reason));
  let again: Error | undefined;
  let shownAt = 0;
  let logged = false;
  const show = (): void => {
    shownAt = performance.now();
    const slow = [...since].filter(([, at]) => shownAt - at >= slowMs).sort(([, a], [, b]) => a - b);
    const named = slow.slice(0, 2).map(([at, from]) => `${items[at]!.key} for ${Math.round((shownAt - from) / 1_000)} s`);
    const note =
      slow.length === 0 ? {} : { note: `under way: ${named.join(', ')}${slow.length > 2 ? ` and ${slow.length - 2} more` : ''};` };
    context.progress({ done: ended.size, total: items.length, unit: 'items', ...note });
  };
  const end = (at: number, fate: Omit<Ended, 'attempts'>): void => {
    const whole = { ...fate, attempts: (attempts.get(at) ?? 0) + 1 };
    intents.done(String(at), whole);
    ended.set(at, whole);
    if (performance.now() >= shownAt + progressMs) show();
  };
  /** One attempt of one item, within its time. `alone`: nothing else is under way in the thread. */
  const attempt = async (at: number, alone: boolean, effects: EffectsLeft): Promise<Omit<Ended, 'attempts'>> => {
    const stop = new AbortController();
    const { signal } = stop;
    stops.add(stop);
    if (context.signal.aborted) stop.abort(context.signal.reason);
    const timed = { ms: attemptMsOf(own), stop };
    const each = {
      method: 'each' as const,
      input: {
        item: items[at]!.item,
        index: first + at,
        attempt: (attempts.get(at) ?? 0) + 1,
        run: { id: run.id, pipeline: run.pipeline },
      },
      doors: doorsOf(own, context, { scope: String(at), of: 'item', signal, effects }),
    };
    const call = callInTime(lease, each, timed);
    since.set(at, performance.now());
    try {
      return checked(own, JSON.parse(await call.ended) as ItemFate);
    } catch (error) {
      if (error instanceof ThreadEnded) {
        const begun = call.ranMs() !== undefined;
        if (!alone && !(begun && error.underWay === 1)) throw new Interrupted(begun, error);
        throw call.late() ? stuck(error, timed.ms) : error;
      }
      // What the code made of it counts less than why it was stopped.
      throw signal.aborted && !context.signal.aborted ? signal.reason : error;
    } finally {
      stops.delete(stop);
      since.delete(at);
    }
  };
  /** Lets an item begin. A shortage of this host is reported as that. */
  const admitted = async (at: number): Promise<Reservation> => {
    const asking = { operation: own.name, requestId: '', holder: `${context.callScope}/${at}`, signal: context.signal };
    const permit = await admit(permits, limit, asking);
    try {
      // The thread begins at once: after a kill what ended before must be known, and what was under way.
      await (never ? intents.begin(String(at), { operation: own.name }) : intents.beginRepeatable(String(at), { operation: own.name }));
      await context.fence();
      return permit;
    } catch (error) {
      permit.giveBack();
      throw shortageOf(error) ?? error;
    }
  };
  const interrupted: number[] = [];
  const work = async (at: number, alone = false): Promise<void> => {
    // The limit is closed, something is missing on this host, or nothing more is sent: the next item would only hear the same.
    if ((again && concernsAll(again)) || context.signal.aborted) return;
    const effects = countEffects();
    try {
      const permit = await admitted(at);
      end(at, await attempt(at, alone, effects).finally(permit.confirm));
    } catch (error) {
      const harmless = effects.count() === 0 && (hadNoEffect(error) || neverLeft(error) || (error instanceof Interrupted && !error.begun));
      if (harmless) intents.withdraw(String(at));
      if (context.signal.aborted) return;
      // The run was cancelled: an item that had not begun has no fate, and of one that had nobody knows it.
      if (error instanceof GivenAway) return void (again = error);
      if (error instanceof Interrupted && (harmless || !never)) return void interrupted.push(at);
      if (isWait(error)) {
        if (error.name === 'Wait') permits.closed(limit, error.waitMs);
        if (error.name === 'Wait') error.limit = limit;
        // The chunk comes back for the first place that is kept for one of its items.
        if (!again || !isWait(again) || error.waitMs < again.waitMs) again = error;
        if (!never || harmless) return;
      }
      // What is missing on this host is no fate of an item.
      if (error instanceof Unavailable && (!never || harmless)) {
        if (!again || !isWait(again)) again = error;
        return;
      }
      const failure = withPlace(error, { file, own, name: 'each' });
      const tried = (attempts.get(at) ?? 0) + 1;
      const most = error instanceof ThreadEnded ? Math.min(mostEnds, attemptsOf(own)) : attemptsOf(own);
      if (never && !harmless && isUncertain(error)) end(at, { status: 'unknown', reason: `${reasonOf(failure)}; ${notAgain}` });
      else if (isRetryable(error) && (harmless || !never) && tried < most) {
        attempts.set(at, tried);
        intents.withdraw(String(at));
        intents.done(triedItem(at), { attempts: tried, reason: reasonOf(failure) } satisfies TriedItem);
        again ??= reported(own.name, failure, context.own);
      } else {
        // One stack a chunk: a service that is down would fill the log.
        if (!logged) reported(`${own.name}, item ${items[at]!.key}`, failure, context.own);
        logged = true;
        end(at, { status: 'failed', reason: `${reasonOf(failure)}${tried > 1 ? ` (${tried} attempts)` : ''}` });
      }
    }
  };
  for (const [call, known] of intents.calls()) {
    if (call === triedCall) continue;
    const [at, what] = call.split(' ');
    if (what === 'tried' && known.is === 'done') attempts.set(Number(at), (known.result as TriedItem).attempts);
    else if (known.is === 'done') ended.set(Number(at), known.result as Ended);
    else if (known.is === 'open' && never) end(Number(at), { status: 'unknown', reason: `was begun before a kill; ${notAgain}` });
  }
  for (const [at, fate] of Object.entries(taken)) if (!ended.has(Number(at))) ended.set(Number(at), fate);
  const beat = setInterval(show, 1_000);
  // One listener for all items: a signal made of two for each of them is dear.
  context.signal.addEventListener('abort', stopAll, { once: true });
  try {
    await pLimit(atOnceOf(own)).map(
      items.flatMap((_, at) => (ended.has(at) ? [] : [at])),
      (at) => work(at),
    );
    // Which of them ended the thread is known of one that is alone in it.
    for (const at of interrupted) await work(at, true);
  } finally {
    clearInterval(beat);
    context.signal.removeEventListener('abort', stopAll);
    // In the order of the items, whichever ended first.
    context.fates([...ended].toSorted(([a], [b]) => a - b).map(([at, fate]) => ledgerRow(items[at]!, fate)));
    const open = items.filter((_, at) => !ended.has(at) && intents.state(String(at)).is === 'open');
    if (open.length > 0) context.fates([unendedRows(open)]);
    context.fates(triedRows(items, intents), { ifOver: true });
  }
  context.signal.throwIfAborted();
  if (again) throw again;
  return items.map((_, at) => ended.get(at)!);
}

/** What a thread ended by, that one item alone had. */
function stuck({ stack }: ThreadEnded, ms: number): TimedOut {
  const timeout = new TimedOut(`no end after ${ms / 1_000} s, and its code let nothing else run`);
  if (stack !== undefined) timeout.stack = stack;
  return timeout;
}

/** The fate as it is kept: a word for a status, and no secret in it. */
function checked(own: OwnSweep, { status = 'done', reason, request_id, result }: ItemFate): Omit<Ended, 'attempts'> {
  if (!word.test(status)) throw new Error(`${own.name} gave the status '${status}': a word in lower case was expected`);
  if (result !== undefined) secretsRead.refuse('the result', result);
  return {
    status,
    ...(reason === undefined ? {} : { reason: secretsRead.scrub(reason) }),
    ...(request_id === undefined ? {} : { request_id }),
    ...(result === undefined ? {} : { result: result as Record<string, unknown> }),
  };
}
