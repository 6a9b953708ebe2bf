import { isAmbiguous } from '../../client/errors.ts';
import { networkCode, unsent } from '../../client/network-code.ts';
import { isWait } from '../../client/wait.ts';
import { Unavailable } from '../../errors/classes.ts';
import { placesOf } from '../../text/stack-places.ts';
import { TimedOut } from './in-time.ts';
import { ThreadEnded } from './thread/host/thread-ended.ts';

/** The item's thread has ended, and nobody knows whether by this item. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  /** Its code had been called. */
  readonly begun: boolean;
  constructor(begun: boolean, cause: ThreadEnded) {
    super(cause.message, { cause });
    this.begun = begun;
  }
}

/** Errors of Node's own fetch, which the code of a step may use: no answer, or one that broke off. */
const isNative = (error: unknown): error is Error =>
  error instanceof Error &&
  (error.name === 'AbortError' ||
    error.name === 'TimeoutError' ||
    (error.name === 'TypeError' && (error.message === 'fetch failed' || error.message === 'terminated')));

/** No connection, nothing sent. */
export const neverLeft = (error: unknown): boolean => isNative(error) && unsent.has(networkCode(error));

/** Nobody knows whether it happened: an answer that was lost, a limit of time, a thread that ended. */
export const isUncertain = (error: unknown): boolean =>
  isAmbiguous(error) ||
  isNative(error) ||
  error instanceof TimedOut ||
  isWait(error) ||
  error instanceof Unavailable ||
  error instanceof ThreadEnded ||
  error instanceof Interrupted;

/** Message, and the place in the user's own code. */
export function reasonOf(error: unknown): string {
  const known = error instanceof Error ? error : new Error(String(error));
  const [place] = error instanceof Error ? placesOf(error.stack) : [];
  const where = place === undefined ? '' : ` (${place.split(/[\\/]/).at(-1)})`;
  return `${known.message.slice(0, 1_500)}${where}`;
}
