import { setTimeout as sleep } from 'node:timers/promises';
import type { Calls } from './invoke.ts';
import { isWait } from './wait.ts';

/** Asks again when the wait is over that a limit asks for. */
async function inPlace<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isWait(error)) throw error;
      await sleep(error.waitMs, undefined, { signal });
    }
  }
}

/**
 * The same with calls that wait in place where their limit is closed. For reads that belong together: a series that needs more of them than
 * the limit allows in one window would begin anew each time that it came back, and never end.
 */
export const patient = <C extends Pick<Calls, 'invoke' | 'pages'> & { signal: AbortSignal }>(of: C): C => ({
  ...of,
  invoke: (operation, input, options) => inPlace(() => of.invoke(operation, input, options), of.signal),
  pages: (operation, input, options) => of.pages(operation, input, { ...options, each: (page) => inPlace(page, of.signal) }),
});
