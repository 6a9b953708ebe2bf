import { setTimeout as sleep } from 'node:timers/promises';
import type { Calls } from './invoke.ts';
import { isWait } from './wait.ts';

/** A window of a limit is a minute: what asks for more than this holds nothing up, and is no time that an attempt has. */
const longestMs = 5 * 60_000;

/** Asks again when the wait is over that a limit asks for. */
export async function inPlace<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isWait(error) || error.waitMs > longestMs) throw error;
      await sleep(error.waitMs, undefined, { signal });
    }
  }
}

/**
 * The same with calls that wait in place where their limit is closed. For reads that belong together: a series that needs more of them than
 * the limit allows in one window would begin anew each time that it came back, and never end. Fails with the wait where that is longer
 * than five minutes.
 */
export const patient = <C extends Pick<Calls, 'invoke' | 'pages'> & { signal: AbortSignal }>(of: C): C => ({
  ...of,
  invoke: (operation, input, options) => inPlace(() => of.invoke(operation, input, options), of.signal),
  pages: (operation, input, options) => of.pages(operation, input, { ...options, each: (page) => inPlace(page, of.signal) }),
});
