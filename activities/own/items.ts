import pLimit from 'p-limit';
import { isAmbiguous, Throttled } from '../../client/errors.ts';
import { admit } from '../../client/permits.ts';
import { networkCode, unsent } from '../../client/network-code.ts';
import { isWait } from '../../client/wait.ts';
import type { ItemFate, OwnSweep } from '../../pipelines/own/define.ts';
import { atOnceOf, attemptMsOf, attemptsOf, limitOf } from '../../pipelines/own/sweep.ts';
import type { Taken } from '../../store/former-fates.ts';
import type { SweepItem } from '../../store/sweep-items.ts';
import { hadNoEffect } from '../effects/send-once.ts';
import type { StepContext } from '../frame/context.ts';
import { ownContext } from './context.ts';
import { framesOf, reported } from './failure.ts';
import { secretsRead } from './secrets.ts';

/** How an item ended; `attempts` counts those that were no waits. */
export type Ended = { status: string; reason?: string; request_id?: string; attempts: number; result?: Record<string, unknown> };

/** Shortest time between two reports of how far a chunk is. */
const progressMs = 250;

/** An item under way for so long is named in the view. */
const slowMs = 5_000;

/** Counts of a chunk have a name of their own for progress. */
const word = /^[a-z][a-z_-]{0,31}$/;

const notAgain = "its effect is 'never', so it is not begun again";

/** Longer than an attempt of an item may take. */
class ItemTimeout extends Error {
  override readonly name = 'ItemTimeout';
  readonly retryable = true;
}

/** How every item of a chunk ended: what an attempt that was lost had ended already is not done again. */
export async function workOn(
  own: OwnSweep,
  items: SweepItem[],
  { first, taken }: { first: number; taken: Taken<Ended> },
  context: StepContext,
): Promise<Ended[]> {
  const intents = context.intents();
  const never = own.effect === 'never';
  const limit = limitOf(own);
  const { permits } = context.own;
  const ended = new Map<number, Ended>();
  const attempts = new Map<number, number>();
  const since = new Map<number, number>();
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
  /** One attempt of one item, within its time. */
  const attempt = async (at: number): Promise<Omit<Ended, 'attempts'>> => {
    const stop = new AbortController();
    const signal = AbortSignal.any([context.signal, stop.signal]);
    const given = ownContext(context, { scope: String(at), attempt: (attempts.get(at) ?? 0) + 1, signal });
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const timeout = new ItemTimeout(`no end after ${attemptMsOf(own) / 1_000} s`);
      stop.abort(timeout);
      late.reject(timeout);
    }, attemptMsOf(own));
    since.set(at, performance.now());
    try {
      return await checked(own, await Promise.race([own.each(items[at]!.item, { ...given, index: first + at }), late.promise]));
    } catch (error) {
      // What the code made of it counts less than why it was stopped.
      throw stop.signal.aborted && !context.signal.aborted ? stop.signal.reason : error;
    } finally {
      clearTimeout(timer);
      since.delete(at);
    }
  };
  const work = async (at: number): Promise<void> => {
    // The limit is closed: the next item would only hear the same.
    if ((again && isWait(again)) || context.signal.aborted) return;
    try {
      const asking = { operation: own.name, requestId: '', holder: `${context.callScope}/${at}`, signal: context.signal };
      const permit = await admit(permits, limit, asking);
      if (never) await intents.begin(String(at), { operation: own.name });
      await context.fence();
      end(at, await attempt(at).finally(permit.confirm));
    } catch (error) {
      const harmless = hadNoEffect(error) || neverLeft(error);
      if (never && harmless) intents.withdraw(String(at));
      if (context.signal.aborted) return;
      if (isWait(error)) {
        if (error.name === 'Wait') permits.closed(limit, error.waitMs);
        if (error.name === 'Wait') error.limit = limit;
        // The chunk comes back for the first place that is kept for one of its items.
        if (!again || !isWait(again) || error.waitMs < again.waitMs) again = error;
        if (!never || harmless) return;
      }
      const tried = (attempts.get(at) ?? 0) + 1;
      if (never && !harmless && isUncertain(error)) end(at, { status: 'unknown', reason: `${reasonOf(error)}; ${notAgain}` });
      else if (isRetryable(error) && (harmless || !never) && tried < attemptsOf(own)) {
        attempts.set(at, tried);
        intents.done(`${at} tried`, tried);
        again ??= reported(own.name, error);
      } else {
        // One stack a chunk: a service that is down would fill the log.
        if (!logged) reported(`${own.name}, item ${items[at]!.key}`, error);
        logged = true;
        end(at, { status: 'failed', reason: `${reasonOf(error)}${tried > 1 ? ` (${tried} attempts)` : ''}` });
      }
    }
  };
  for (const [call, known] of intents.calls()) {
    const [at, what] = call.split(' ');
    if (what === 'tried' && known.is === 'done') attempts.set(Number(at), known.result as number);
    else if (known.is === 'done') ended.set(Number(at), known.result as Ended);
    else if (known.is === 'open') end(Number(at), { status: 'unknown', reason: `was begun before a kill; ${notAgain}` });
  }
  for (const [at, fate] of Object.entries(taken)) if (!ended.has(Number(at))) ended.set(Number(at), fate);
  const beat = setInterval(show, 1_000);
  try {
    await pLimit(atOnceOf(own)).map(
      items.flatMap((_, at) => (ended.has(at) ? [] : [at])),
      work,
    );
  } finally {
    clearInterval(beat);
  }
  context.signal.throwIfAborted();
  if (again) throw again;
  return items.map((_, at) => ended.get(at)!);
}

async function checked(own: OwnSweep, fate: ItemFate | void): Promise<Omit<Ended, 'attempts'>> {
  const { status = 'done', reason, request_id, result } = fate ?? {};
  if (!word.test(status)) throw new Error(`${own.name} gave the status '${status}': a word in lower case was expected`);
  return {
    status,
    ...(reason === undefined ? {} : { reason: secretsRead.scrub(reason) }),
    ...(request_id === undefined ? {} : { request_id }),
    ...(result === undefined ? {} : { result: await checkedResult(own, result) }),
  };
}

async function checkedResult(own: OwnSweep, result: unknown): Promise<Record<string, unknown>> {
  if (!own.result) throw new Error(`${own.name} gave a result, but declares none; say what it holds: result: z.object({ … })`);
  const parsed = await own.result.safeParseAsync(result);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`the result does not fit its schema: ${['result', ...issue!.path].join('.')}: ${issue!.message}`);
  }
  secretsRead.refuse('the result', parsed.data);
  return parsed.data as Record<string, unknown>;
}

const isRetryable = (error: unknown): boolean => error instanceof Error && 'retryable' in error && error.retryable === true;

const isNative = (error: unknown): error is Error =>
  error instanceof Error &&
  (error.name === 'AbortError' || error.name === 'TimeoutError' || (error instanceof TypeError && error.message === 'fetch failed'));

/** Node's own fetch, which the code of a step may use: no connection, nothing sent. */
const neverLeft = (error: unknown): boolean => isNative(error) && unsent.has(networkCode(error));

/** Nobody knows whether it happened: an answer that was lost, a limit of time. */
const isUncertain = (error: unknown): boolean =>
  isAmbiguous(error) || isNative(error) || error instanceof ItemTimeout || error instanceof Throttled;

/** Message, and the place in the user's own code. */
function reasonOf(error: unknown): string {
  const known = error instanceof Error ? error : new Error(String(error));
  const [place] = error instanceof Error ? framesOf(error.stack) : [];
  const where = place === undefined ? '' : ` (${place.split(/[\\/]/).at(-1)})`;
  return `${secretsRead.scrub(known.message).slice(0, 1_500)}${where}`;
}
