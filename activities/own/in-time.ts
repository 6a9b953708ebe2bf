import type { ThreadMethods } from './thread/protocol.ts';
import type { CallName, Lease, OwnCall } from './thread/host/threads.ts';

/** The code took longer than one attempt may. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
  readonly retryable = true;
}

/** A call that is ended when its time is over. */
export type TimedCall<Name extends CallName> = {
  /** Fails with `TimedOut`; with `ThreadEnded` where the code let nothing else run. */
  ended: Promise<ThreadMethods[Name]['output']>;
  ranMs(): number | undefined;
  /** Its time is over. */
  late(): boolean;
};

/** Calls the user's code, for so many milliseconds at most: `stop` is aborted then, and with `signal`. The time begins with the code. */
export function callInTime<Name extends CallName>(
  lease: Lease,
  call: Omit<OwnCall<Name>, 'signal'>,
  { ms, stop, signal }: { ms: number; stop: AbortController; signal?: AbortSignal },
): TimedCall<Name> {
  const abort = (): void => stop.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const underWay = lease.call({ ...call, signal: stop.signal });
  const over = Promise.withResolvers<never>();
  let late = false;
  let timer: NodeJS.Timeout | undefined;
  const wait = (leftMs: number): void => void (timer = setTimeout(() => void expire(), leftMs));
  const expire = async (): Promise<void> => {
    // Behind code that lets nothing else run a call has not begun.
    const leftMs = ms - (underWay.ranMs() ?? 0);
    if (leftMs > 0) return wait(leftMs);
    late = true;
    if (!(await lease.responds())) return;
    const timeout = new TimedOut(`no end after ${ms / 1_000} s`);
    stop.abort(timeout);
    over.reject(timeout);
  };
  wait(ms);
  return {
    ended: Promise.race([underWay.ended, over.promise]).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }),
    ranMs: () => underWay.ranMs(),
    late: () => late,
  };
}
