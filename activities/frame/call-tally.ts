import type { RunEvent } from '../../store/run-store.ts';

type Calls = NonNullable<RunEvent['calls']>;

/** What an attempt has sent is written down so long after: of a worker that is killed no more is lost than it sent in between. */
const afterMs = 1_000;

/**
 * Counts the requests of one attempt, by step (one that works through rows has several) and operation, and hands them over while it goes
 * on, and at its end; what leaves behind that too.
 */
export function createCallTally(write: (step: string, calls: Calls) => Promise<void>): {
  sent: (step: string, operation: string) => void;
  end(): Promise<void>;
} {
  let counted = new Map<string, Calls>();
  let timer: NodeJS.Timeout | undefined;
  let written: Promise<unknown> = Promise.resolve();
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const now = counted;
    counted = new Map();
    // A report without a number costs nothing else.
    for (const [step, calls] of now) written = written.then(() => write(step, calls)).catch(() => undefined);
    await written;
  };
  return {
    sent(step, operation) {
      timer ??= setTimeout(() => void flush(), afterMs);
      const calls = counted.get(step) ?? {};
      calls[operation] = (calls[operation] ?? 0) + 1;
      counted.set(step, calls);
    },
    end: flush,
  };
}
