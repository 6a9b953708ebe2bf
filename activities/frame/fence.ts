import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../../errors/classes.ts';
import { freshMs } from '../../pipelines/last-effect.ts';
import { wakingClock } from './waking-clock.ts';

/** What the server said of an attempt: it is this one's still, it has been given away, or it cannot be asked now. */
export type Standing = 'held' | 'given away' | 'unreachable';

export type FenceOptions = {
  /** Asks the server. */
  confirm: () => Promise<Standing>;
  /** Called once when the attempt is over: all that it does is given up. */
  over: (reason: GivenAway) => void;
  /** One attempt may last so long, from its start. */
  attemptMs: number;
  signal: AbortSignal;
  clock?: () => number;
};

/** The server has given this attempt to another worker, or ended it: nothing is sent by it any more. */
export class GivenAway extends Error {
  override readonly name = 'GivenAway';
  /** Where the server still takes it, as of an attempt whose time is up, another attempt follows. */
  readonly retryable = true;
}

/** The end of an attempt is no event that a heartbeat would show beforehand. */
const endMarginMs = 1_000;

const againMs = 200;

/** How long an unreachable server is asked again before the attempt is given up. */
const patienceMs = 60_000;

/**
 * Passed before every effect: fails with `GivenAway` unless the server has confirmed within the last 2 s that the attempt is
 * still this one's. The time counts from before the question; a heartbeat handed to the library is none, because it is sent later.
 */
export function createFence({ confirm, over, attemptMs, signal, clock = wakingClock }: FenceOptions): () => Promise<void> {
  const begun = clock();
  let confirmedAt = -Infinity;
  let asking: Promise<void> | undefined;
  let ended: GivenAway | undefined;

  const end = (why: string): never => {
    ended ??= new GivenAway(`this attempt is over (${why}): nothing more is sent by it`);
    over(ended);
    throw ended;
  };
  const ask = async (): Promise<void> => {
    for (const first = clock(); ;) {
      const asked = clock();
      const standing = await confirm();
      if (standing === 'given away') end('the server has given it away');
      if (standing === 'held') return void (confirmedAt = asked);
      if (clock() - first > patienceMs) throw new Unavailable('temporal', 'the Temporal server cannot be reached to confirm the attempt');
      await sleep(againMs, undefined, { signal });
    }
  };
  return async () => {
    for (;;) {
      if (ended) throw ended;
      signal.throwIfAborted();
      const now = clock();
      if (now > begun + attemptMs - endMarginMs) end('its time is up');
      // Asked in this turn of the event loop: what is sent right after it leaves within the time.
      if (now - confirmedAt < freshMs) return;
      await (asking ??= ask().finally(() => (asking = undefined)));
    }
  };
}
