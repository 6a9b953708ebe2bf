import { isWait } from '../../client/wait.ts';
import { Unavailable } from '../../errors/classes.ts';
import type { StepContext } from '../frame/context.ts';
import { reported, withPlace, type Called } from './failure.ts';
import { mostEnds, ThreadEnded } from './thread/host/thread-ended.ts';
import type { Lease } from './thread/host/threads.ts';

/** Attempts of an activity that failed, and how many of them ended their thread. */
type Tried = { attempts: number; ends: number };

/** Its name in the journal, beside the numbers of items. */
export const triedCall = 'tried';

export function triedBefore(context: StepContext): Tried {
  const known = context.intents().state(triedCall);
  return known.is === 'done' ? (known.result as Tried) : { attempts: 0, ends: 0 };
}

/**
 * Loads the file of a step and works with its code. A failure is counted and reported without secrets: code that ends its thread
 * again and again is not tried for ever. A wait, and what is missing on this host, are no attempts.
 */
export async function counted<T>(called: Called, lease: Lease, context: StepContext, work: () => Promise<T>): Promise<T> {
  try {
    await lease.ready();
    return await work();
  } catch (error) {
    context.signal.throwIfAborted();
    if (isWait(error) || error instanceof Unavailable) throw error;
    const { attempts, ends } = triedBefore(context);
    const ended = error instanceof ThreadEnded;
    if (ended && ends + 1 >= mostEnds) error.retryable = false;
    context.intents().done(triedCall, { attempts: attempts + 1, ends: ends + (ended ? 1 : 0) } satisfies Tried);
    throw reported(called.own.name, withPlace(error, called), context.own);
  }
}
