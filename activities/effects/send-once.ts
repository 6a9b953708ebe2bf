import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ContractError, isAmbiguous, isRetryable, NetworkError, Throttled } from '../../client/errors.ts';
import { isOperation, serviceOf, type Service } from '../../contracts/index.ts';
import { saysRefused } from '../../client/says-refused.ts';
import { isWait } from '../../client/wait.ts';
import type { Found } from '../../contracts/endpoint.ts';
import { Inconclusive, Undecided, Unavailable } from '../../errors/classes.ts';
import type { Json } from '../../text/json.ts';
import type { Intent } from '../../store/intents.ts';
import { canonical } from '../../text/canonical-json.ts';
import type { StepConnection, StepContext } from '../frame/context.ts';
import { GivenAway } from '../frame/fence.ts';

/** How the effect of a call is found. */
export type LookupOnce<T> = {
  /** Ids of what could be mistaken for the effect, asked before the first sending. */
  before?(): Promise<readonly string[]>;
  find(before: readonly string[]): Promise<Found<T>>;
  /** Ids of all that may be the effect once it is there; asked where one effect can be distinguished from two. */
  made?(before: readonly string[]): Promise<readonly string[]>;
};

/** A call whose repeat would be a second effect. `T` is plain JSON: the essence of the answer, kept with the intent. */
export type OnceCall<T> = {
  operation: string;
  /** What is sent, as plain JSON: another input is another call. */
  input: unknown;
  /** Absent where nothing can be looked up: then a person decides. */
  lookup?: LookupOnce<T> | undefined;
  send(): Promise<T>;
  /** Where it is more than one call: how many of them have left and not shown that nothing came of them. */
  left?(): number;
};

/** What of a step's context a call needs. */
export type OnceContext = Pick<StepContext, 'step' | 'store' | 'lookUp' | 'intents' | 'effectsSent' | 'signal'> & {
  connection: (service: Service) => Pick<StepConnection, 'settleMs'>;
};

export type Sent<T> = { value: T; found: boolean };

/** Has an earlier attempt begun to send the call, so that what is found now may be its effect? */
export const wasBegun = (context: OnceContext, call: Pick<OnceCall<unknown>, 'operation' | 'input'>): boolean =>
  context.intents().state(keyOf(call)).is !== 'new';

/** Was the call begun, and does nobody know how it ended? */
export const isOpen = (context: OnceContext, call: Pick<OnceCall<unknown>, 'operation' | 'input'>): boolean =>
  context.intents().state(keyOf(call)).is === 'open';

/** Whether what has this id was made since the step first began to send the call: also where it was refused, as what came second. */
export const wasMadeSince = (context: OnceContext, call: Pick<OnceCall<unknown>, 'operation' | 'input'>, id: string): boolean => {
  const { intents } = context.intents().state(keyOf(call));
  return intents.length > 0 && !intents.flatMap(beforeOf).includes(id);
};

/**
 * Sends a call once, whatever becomes of attempts and answers. The intent is on the disk before the call leaves; where one is
 * open, from an earlier attempt or because an answer was lost just now, the effect is looked up: at once, and again when the time
 * in which a sent request can still land is over. Only what was not found then is sent again. `found`: nothing was sent, the
 * effect of an earlier sending was there. Fails with `Undecided` where that cannot be known, and with `Inconclusive` where the
 * effect is there twice, because something on the way delivered the call again.
 */
export async function sendOnce<T>(context: OnceContext, call: OnceCall<T>): Promise<Sent<T>> {
  if (!context.lookUp) return { value: await begin(context, call, []), found: false };
  const known = context.intents().state(keyOf(call));
  // Asked before the first sending alone: what was refused since may have been delivered before, and would be taken for older.
  const before = known.intents.length === 0 ? ((await call.lookup?.before?.()) ?? []) : known.intents.flatMap(beforeOf);
  const sent = known.is === 'done' ? { value: known.result as T, found: true } : await send(context, call, before, known.is === 'open');
  await checkSingle(call, before);
  return sent;
}

const beforeOf = ({ before }: Intent): readonly string[] => (before as readonly string[] | undefined) ?? [];

async function checkSingle({ operation, lookup }: OnceCall<unknown>, before: readonly string[]): Promise<void> {
  const made = (await lookup?.made?.(before)) ?? [];
  if (made.length > 1)
    throw new Inconclusive(
      `${operation} was sent once, and ${made.length} were made since (${made.join(', ')}): something on the way to the service delivered it again, or somebody else made one of that name meanwhile. Remove what is too much`,
    );
}

/** `open`: an earlier attempt may have sent it. */
async function send<T>(context: OnceContext, call: OnceCall<T>, before: readonly string[], open: boolean): Promise<Sent<T>> {
  if (open) {
    const found = await look(context, call, before, settleMs(context, call), 'an earlier attempt never reported');
    if (found) return end(context, call, found.value);
  }

  for (let sendings = 1; ; sendings++) {
    const sentAt = performance.now();
    try {
      return { value: await begin(context, call, before), found: false };
    } catch (error) {
      // What is tried again is looked up by the next attempt.
      const last = sendings === 2;
      if (!isAmbiguous(error) || (last && isRetryable(error))) throw error;
      const left = settleMs(context, call) - (performance.now() - sentAt);
      const found = await look(context, call, before, left, (error as Error).message);
      if (found) return end(context, call, found.value);
      if (last) throw error;
    }
  }
}

/** How long a sent call can still land; a user's step is no call of a service, and nothing of it is looked up. */
const settleMs = (context: OnceContext, { operation }: { operation: string }): number =>
  isOperation(operation) ? context.connection(serviceOf(operation)).settleMs : 0;

function end<T>(context: OnceContext, call: OnceCall<T>, value: T): Sent<T> {
  context.intents().done(keyOf(call), value);
  return { value, found: true };
}

/** Sends with its intent around it, taken back where nothing can have happened. */
async function begin<T>(context: OnceContext, call: OnceCall<T>, before: readonly string[]): Promise<T> {
  const key = keyOf(call);
  const intents = context.intents();
  await intents.begin(key, { operation: call.operation, before });
  const passed = context.effectsSent();
  try {
    const value = await call.send();
    intents.done(key, value);
    return value;
  } catch (error) {
    // Of several calls one has failed: what the others did stays done. An attempt that was given away, or whose store or server is gone,
    // may have ended behind a call that was done.
    const left = call.left?.() ?? (isOfAttempt(error) ? context.effectsSent() - passed : 0);
    if (hadNoEffect(error) && left === 0) intents.withdraw(key);
    throw error;
  }
}

/**
 * Whether a failure says that its call had no effect: refused, put off, or never sent. Of the answers of a service only those do whose
 * status or contract says so; behind any other stands a proxy that gave up, or a service that failed half-way.
 */
export function hadNoEffect(error: unknown): boolean {
  if (error instanceof NetworkError) return !error.sent;
  if (error instanceof ContractError) return error.side === 'request';
  // A redirect is of what stands before the API, and is not followed.
  if (error instanceof ApiError) return error.nothingHappened || error.status < 400 || saysRefused(error.status);
  if (error instanceof Throttled) return !error.sent || saysRefused(error.status!);
  return isOfAttempt(error) || (isWait(error) && error.name === 'Wait');
}

/** Whether it is the attempt that has ended, and not its call: it was given away, or its store or the server is gone. */
const isOfAttempt = (error: unknown): boolean => error instanceof GivenAway || error instanceof Unavailable;

/** The effect of an open intent, looked for until it can no longer come; undefined where there is none, and none will be. */
async function look<T>(
  context: OnceContext,
  call: OnceCall<T>,
  before: readonly string[],
  settleMs: number,
  why: string,
): Promise<{ value: T } | undefined> {
  const say = (cause: string): Promise<void> =>
    context.store.event({ step: context.step, kind: 'reconcile', cause, operation: call.operation });
  const undecided = (reason: string): Undecided => new Undecided(`${call.operation} may have been carried out (${why}): ${reason}`);
  await say(why);
  if (!call.lookup) throw undecided('nothing can be looked up');
  for (const settled of [false, true]) {
    if (settled) await sleep(Math.max(0, settleMs), undefined, { signal: context.signal });
    const found = await call.lookup.find(before);
    if (found === 'absent') continue;
    if ('unknown' in found) throw undecided(found.unknown);
    await say('looked up: the effect was there, nothing sent again');
    return { value: found.answer };
  }
  await say('looked up: no effect, sending again');
  context.intents().withdraw(keyOf(call));
  return undefined;
}

/** Name of a call in the journal: another input is another call. */
export const keyOf = ({ operation, input }: Pick<OnceCall<unknown>, 'operation' | 'input'>): string =>
  `${operation} ${createHash('sha256')
    .update(canonical(input as Json))
    .digest('hex')
    .slice(0, 16)}`;
