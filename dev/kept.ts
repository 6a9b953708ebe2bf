import { setTimeout as pause } from 'node:timers/promises';
import type { Exit } from './processes.ts';

/** A process as its keeper sees it. */
export type Running = { pid: number; exited: Promise<Exit>; stop(): Promise<unknown>; kill(): Promise<unknown> };

export type Kept<P extends Running> = {
  /** The process that runs now; undefined between two. */
  current(): P | undefined;
  /** Ends the process in order and starts the next; also wakes a keeper that waits after a failed start. */
  restart(reason: string): void;
  stop(): Promise<void>;
};

export type KeepOptions<P extends Running> = {
  name: string;
  /** Starts the process; fulfilled when it is ready. */
  start: () => Promise<P>;
  report: (line: string) => void;
  /** Called with every process that became ready, the first one included. */
  onStart?: (running: P) => void;
  /** Passes the time between an end and the next start, in milliseconds. @default a timer */
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
};

const backoff = { firstMs: 100, lastMs: 5_000, calmMs: 10_000 };

/** Starts a process and starts it again whenever it dies, first after 100 ms, then ever later up to 5 s. A failed first start fails. */
export const keepRunning = async <P extends Running>({
  name,
  start,
  report,
  onStart,
  wait = (ms, signal) => pause(ms, undefined, { signal }),
}: KeepOptions<P>): Promise<Kept<P>> => {
  let running: P | undefined = await start();
  let wanted = true;
  let replacing: string | undefined;
  let wake = new AbortController();
  let waitMs = backoff.firstMs;
  let startedAt = Date.now();
  let lastFailure = '';
  const current = (): P | undefined => running;
  onStart?.(running);

  const next = async (): Promise<void> => {
    try {
      running = await start();
      startedAt = Date.now();
      if (lastFailure !== '') report(`${name}: runs again (process ${running.pid})`);
      lastFailure = '';
      onStart?.(running);
    } catch (error) {
      const { message } = error as Error;
      if (message !== lastFailure && wanted) report(`${name}: ${message}`);
      lastFailure = message;
    }
  };

  const keep = async (): Promise<void> => {
    while (wanted) {
      if (running !== undefined) {
        const { code, signal } = await running.exited;
        running = undefined;
        if (!wanted) return;
        if (replacing === undefined) {
          lastFailure = `ended (${signal ?? `exit ${code}`})`;
          report(`${name}: ${lastFailure}; starting it again`);
          if (Date.now() - startedAt > backoff.calmMs) waitMs = backoff.firstMs;
        }
      }
      if (replacing === undefined) {
        await wait(waitMs, wake.signal).catch(() => undefined);
        waitMs = Math.min(waitMs * 2, backoff.lastMs);
      }
      if (replacing !== undefined) {
        replacing = undefined;
        waitMs = backoff.firstMs;
      }
      wake = new AbortController();
      if (wanted) await next();
      // Asked for while this one was starting: it may have read the old files.
      if (replacing !== undefined) void current()?.stop();
    }
  };
  const kept = keep();

  return {
    current,
    restart: (reason) => {
      if (!wanted || replacing !== undefined) return;
      replacing = reason;
      report(`${name}: starting anew, ${reason}`);
      wake.abort();
      void running?.stop();
    },
    stop: async () => {
      wanted = false;
      wake.abort();
      await running?.stop();
      await kept;
      // A start that was under way when the stop came has made one more.
      await running?.stop();
    },
  };
};
