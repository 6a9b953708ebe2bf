import type { RunEvent } from '../../store/run-store.ts';

type Calls = NonNullable<RunEvent['calls']>;

/** What an attempt has sent is written down so often: of a worker that is killed no more is lost than it sent in between. */
const everyMs = 1_000;

/** Counts the requests of one attempt by operation and hands them over while it goes on, and at its end. */
export function createCallTally(write: (calls: Calls) => Promise<void>): {
  sent: (operation: string) => void;
  end(): Promise<void>;
} {
  let calls: Calls = {};
  // A report without a number costs nothing else.
  const flush = async (): Promise<void> => {
    const counted = calls;
    calls = {};
    if (Object.keys(counted).length > 0) await write(counted).catch(() => undefined);
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    sent(operation) {
      timer ??= setInterval(() => void flush(), everyMs);
      calls[operation] = (calls[operation] ?? 0) + 1;
    },
    async end() {
      clearInterval(timer);
      await flush();
    },
  };
}
