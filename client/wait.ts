import { floorMs } from './classify.ts';
import { parseRetryAfter } from './retry-after.ts';

/**
 * Thrown by the code of an own step whose service asks to wait: nothing has happened, the step or item is begun again when the time is over,
 * and no attempt is used. Other items of the same sweep wait as well.
 */
export class Wait extends Error {
  override readonly name = 'Wait';
  readonly retryable = true;
  /** Milliseconds. */
  readonly waitMs: number;
  /** The limit that it has closed, once it is known. */
  limit?: string;
  constructor(message: string, waitMs: number) {
    super(message);
    if (!(waitMs >= 0)) throw new RangeError(`new Wait(…, ${waitMs}): milliseconds from 0 were expected`);
    this.waitMs = waitMs;
  }

  /** So many seconds, or what an answer says: its Retry-After in any legal form, one second where it has none. */
  static after(given: number | { status: number; headers: { get(name: string): string | null } }): Wait {
    if (typeof given === 'number') {
      if (!(given >= 0 && given <= 2 ** 31)) throw new RangeError(`Wait.after(${given}): seconds from 0 were expected`);
      return new Wait(`waits ${given} s`, Math.max(floorMs, given * 1_000));
    }
    const { status, headers } = given;
    const asked = parseRetryAfter(headers.get('retry-after'), { date: headers.get('date'), now: Date.now() });
    const waitMs = Math.max(floorMs, asked ?? 0);
    return new Wait(
      `waits ${Math.ceil(waitMs / 1_000)} s: ${status}, ${asked === undefined ? 'without Retry-After' : 'Retry-After'}`,
      waitMs,
    );
  }
}

type Waiting = Error & {
  waitMs: number;
  limit?: string;
  operation?: string;
  requestId?: string;
  status?: number;
  sent?: boolean;
  asked?: boolean;
};

/** A wait that a service asked for, ours or thrown by the code of a step: which may bring a copy of the class of its own. */
export const isWait = (error: unknown): error is Waiting =>
  error instanceof Error &&
  (error.name === 'Wait' || error.name === 'Throttled') &&
  'waitMs' in error &&
  typeof error.waitMs === 'number' &&
  error.waitMs >= 0;
