import { abortError } from './abort.ts';
import type { Child } from './child-process.ts';

export type Pool = {
  /** Hands a child to `work` alone. Callers are served in their order; a waiting one whose signal aborts leaves at once. */
  run<T>(work: (child: Child) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Ends every child, at work or not; who waits is refused. */
  close(): Promise<void>;
};

export type PoolOptions = {
  /** Most children alive at once, those that are just ending included: memory is at most `size` × the limit of one. */
  size: number;
  /** A child without work for so long is ended. */
  idleMs: number;
  start: () => Promise<Child>;
  /** Whether a child that has served so many requests may serve another one. */
  keep: (child: Child, served: number) => boolean | Promise<boolean>;
};

type Member = { child: Child; served: number; rest?: NodeJS.Timeout };
type Waiter = { resolve: (member: Member) => void; reject: (error: unknown) => void };

const closedError = (): Error => new Error('tables are closed');

/** Children started on demand, each with one request at a time. */
export function createPool({ size, idleMs, start, keep }: PoolOptions): Pool {
  const members = new Set<Member>();
  const idle: Member[] = [];
  const waiting: Waiter[] = [];
  const empty = Promise.withResolvers<void>();
  let slots = 0;
  let closed = false;

  const leave = (member: Member): void => {
    clearTimeout(member.rest);
    const place = idle.indexOf(member);
    if (place >= 0) idle.splice(place, 1);
  };

  const freeSlot = (): void => {
    slots -= 1;
    if (closed && slots === 0) empty.resolve();
    serve();
  };

  const launch = async (): Promise<Member> => {
    slots += 1;
    const child = await start().catch((error: unknown) => {
      freeSlot();
      throw error;
    });
    const member: Member = { child, served: 0 };
    members.add(member);
    // The slot is free when the process is gone, not when it was asked to end.
    void child.ended.then(() => {
      leave(member);
      members.delete(member);
      freeSlot();
    });
    if (!closed) return member;
    child.kill();
    throw closedError();
  };

  const serve = (): void => {
    while (waiting.length > 0 && (idle.length > 0 || slots < size)) {
      const member = idle.at(-1);
      if (member) leave(member);
      // One that has just died is passed over: its slot comes free in a moment.
      if (member && !member.child.alive) continue;
      const waiter = waiting.shift()!;
      if (member) waiter.resolve(member);
      else void launch().then(waiter.resolve, waiter.reject);
    }
  };

  const give = (member: Member): void => {
    if (closed || !member.child.alive) return member.child.kill();
    member.child.hold(false);
    member.rest = setTimeout(() => {
      leave(member);
      member.child.kill();
    }, idleMs).unref();
    idle.push(member);
    serve();
  };

  const take = (signal: AbortSignal | undefined): Promise<Member> => {
    if (closed) return Promise.reject(closedError());
    if (signal?.aborted) return Promise.reject(abortError(signal));
    const { promise, resolve, reject } = Promise.withResolvers<Member>();
    let gone = false;
    const waiter: Waiter = {
      // A child that was started for a caller who has left is there for the next one.
      resolve: (member) => (gone ? give(member) : resolve(member)),
      reject,
    };
    const abort = (): void => {
      gone = true;
      const place = waiting.indexOf(waiter);
      if (place >= 0) waiting.splice(place, 1);
      reject(abortError(signal!));
    };
    signal?.addEventListener('abort', abort, { once: true });
    waiting.push(waiter);
    serve();
    return promise.finally(() => signal?.removeEventListener('abort', abort));
  };

  return {
    async run(work, signal) {
      const member = await take(signal);
      member.served += 1;
      try {
        return await work(member.child);
      } finally {
        if (await keep(member.child, member.served)) give(member);
        else member.child.kill();
      }
    },
    async close() {
      closed = true;
      for (const waiter of waiting.splice(0)) waiter.reject(closedError());
      for (const { child } of members) child.kill();
      if (slots > 0) await empty.promise;
    },
  };
}
