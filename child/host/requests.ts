import { startChild } from './child-process.ts';
import { exchange, NotStarted } from './exchange.ts';
import { createPool } from './pool.ts';
import type { Method, Methods } from '../protocol.ts';

export type RequestsOptions = {
  children: number;
  /** Most resident memory of a child, in MiB. */
  memoryMb: number;
  requestsPerChild: number;
  idleSeconds: number;
  tempGiB: number;
  tempDir?: string | undefined;
};

export type RequestOptions = {
  /** What is opened, for messages. */
  subject: string;
  /** Time for the request in milliseconds, known when its turn has come. */
  timeMs: () => Promise<number> | number;
  /** Time in milliseconds beyond which nothing that is earned goes. */
  mostMs?: number;
  signal?: AbortSignal | undefined;
  progress?: ((rows: number, note?: string) => void) | undefined;
};

/** Requests to a pool of child processes. */
export type Requests = {
  /** Starts a child that loads the code of tables before it is asked for anything; settles when it is started. */
  warm(): Promise<void>;
  call<M extends Method>(method: M, input: Methods[M]['input'], options: RequestOptions): Promise<Methods[M]['output']>;
  close(): Promise<void>;
};

/**
 * A pool of child processes: started on demand, one request at a time each, killed with their whole group on too much
 * memory or time. A kill ends that request in a `BadInput`; its neighbours go on.
 */
export function createRequests({ children, memoryMb, requestsPerChild, idleSeconds, tempGiB, tempDir }: RequestsOptions): Requests {
  let closed = false;
  const pool = createPool({
    size: children,
    idleMs: idleSeconds * 1_000,
    start: () => startChild({ memoryMb, tempGiB, tempDir }),
    async keep(child, served) {
      const resident = await child.residentBytes();
      return served < requestsPerChild && (resident === undefined || resident <= (memoryMb * 1024 * 1024) / 2);
    },
  });
  return {
    // Nobody waits for its reply: the child is free for a request at once, which finds the code loaded, or loading.
    warm: () => pool.run(async (child) => child.send({ id: 0, method: 'warm', input: null })).catch(() => undefined),
    async call(method, input, { timeMs, ...options }) {
      const attempt = () =>
        pool.run(async (child) => exchange(child, method, input, { ...options, memoryMb, timeMs: await timeMs() }), options.signal);
      for (let tried = 1; ; tried += 1) {
        try {
          return await attempt();
        } catch (error) {
          if (closed) throw new Error('the pool of processes is closed', { cause: error });
          // A child may die while idle, unseen until something is sent to it: that says nothing about this input.
          if (!(error instanceof NotStarted && tried <= children)) throw error;
        }
      }
    },
    async close() {
      closed = true;
      await pool.close();
    },
  };
}
