import { setTimeout as delay } from 'node:timers/promises';
import { isAmbiguous, Throttled } from '../../client/errors.ts';
import { counted } from '../../text/units.ts';
import { saysRefused } from '../../client/says-refused.ts';

/** How often a call that must wait is sent; an interactive caller gives up sooner than a pipeline. */
const maxWaits = 5;
const longestWaitMs = 120_000;

export type Send<T = unknown> = () => Promise<T>;

/** Whether the effect of a call may have happened although it failed: also where a gateway that gave up says when to come again. */
export const mayHaveHappened = (error: unknown): boolean =>
  isAmbiguous(error) || (error instanceof Throttled && error.sent && !saysRefused(error.status!));

/** Sends; waits out Retry-After of what was refused, and repeats after other failures only where a repeat changes nothing. */
export const sendPatiently = async <T>(
  send: Send<T>,
  repeatable: boolean,
  report: (text: string) => void,
  signal: AbortSignal,
): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (attempt > maxWaits) throw error;
      const waitMs =
        error instanceof Throttled && (repeatable || !mayHaveHappened(error))
          ? error.waitMs
          : repeatable && (error as { retryable?: boolean }).retryable
            ? 250 * 2 ** attempt
            : undefined;
      if (waitMs === undefined || waitMs > longestWaitMs) throw error;
      report(
        `${(error as Error).message}; again in ${Math.ceil(waitMs / 1_000)} s, ${counted(maxWaits + 1 - attempt, 'time')} more at most\n`,
      );
      await delay(waitMs, undefined, { signal });
    }
  }
};
