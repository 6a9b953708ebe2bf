import { startThread, type Thread } from './thread.ts';
import { ThreadEnded } from './thread-ended.ts';

export type ThreadsOptions = {
  /** Most memory of one thread in MiB. */
  heapMb?: number;
  /** Threads at a time, those that rest among them; more work than that is never under way. */
  most?: number;
};

/** A thread without work for so long is ended. */
const idleMs = 60_000;

/** Threads by file: one that was given back is taken again, and ended where it rests too long or its place is needed. */
export function createThreadPool({ heapMb = 2_048, most = 40 }: ThreadsOptions) {
  const all = new Set<Thread>();
  /** Files whose code has filled the memory of a thread. */
  const hungry = new Set<string>();
  const idle: { thread: Thread; rest: NodeJS.Timeout }[] = [];
  /** A thread with this file, for one execution alone. */
  const take = (file: string): Thread => {
    const at = idle.findLastIndex(({ thread }) => thread.file === file);
    const [found] = at < 0 ? [] : idle.splice(at, 1);
    if (found) {
      clearTimeout(found.rest);
      found.thread.hold(true);
      return found.thread;
    }
    if (all.size >= most) idle[0]?.thread.end(new ThreadEnded('its place was needed'));
    const thread = startThread(file, { heapMb, watched: hungry.has(file) });
    all.add(thread);
    thread.onEnd = (reason) => {
      if (reason.hungry) hungry.add(file);
      all.delete(thread);
      const rests = idle.findIndex((each) => each.thread === thread);
      if (rests >= 0) clearTimeout(idle.splice(rests, 1)[0]!.rest);
    };
    return thread;
  };
  /** Its execution is over. */
  const give = (thread: Thread): void => {
    if (!thread.alive) return;
    thread.hold(false);
    const rest = setTimeout(() => thread.end(new ThreadEnded('it had no work')), idleMs).unref();
    idle.push({ thread, rest });
  };
  const close = (): void => {
    for (const thread of all) thread.end(new ThreadEnded('the worker stops'));
  };
  return { take, give, close };
}
