import type { RunEvent } from '../../store/run-store.ts';

type Calls = NonNullable<RunEvent['calls']>;

/** What an attempt has sent is written down so long after: of a worker that is killed no more is lost than it sent in between. */
const afterMs = 1_000;

/** Counts the requests of one attempt by operation and hands them over while it goes on, and at its end; what leaves behind that too. */
export function createCallTally(write: (calls: Calls) => Promise<void>): {
  sent: (operation: string) => void;
  end(): Promise<void>;
} {
  let calls: Calls = {};
  let timer: NodeJS.Timeout | undefined;
  let written = Promise.resolve();
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const counted = calls;
    calls = {};
    // A report without a number costs nothing else.
    if (Object.keys(counted).length > 0) written = written.then(() => write(counted)).catch(() => undefined);
    return written;
  };
  return {
    sent(operation) {
      timer ??= setTimeout(() => void flush(), afterMs);
      calls[operation] = (calls[operation] ?? 0) + 1;
    },
    end: flush,
  };
}
