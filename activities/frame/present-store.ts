import { dirname } from 'node:path';
import { Unavailable } from '../../errors/classes.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import type { RunStore } from '../../store/run-store.ts';
import { storeIsThere } from '../../store/store-id.ts';

/** A run store that may go away, with its disk, and come back. */
export type PresentStore = RunStore & {
  /** What to say where it is gone now. */
  lost(): Unavailable | undefined;
  check(): void;
};

/**
 * The run store of a run, whose writes fail while it is gone, and whose paths are not given out then: files are made with the
 * folders above them, and a store that is begun anew in an empty place lacks what it held.
 */
export function presentStore(uri: string): PresentStore {
  const store = createRunStore(uri);
  const lost = (): Unavailable | undefined =>
    storeIsThere(uri)
      ? undefined
      : new Unavailable('store', `the run store ${dirname(store.path())} is not there: mount it, or put it back where it was`);
  const check = (): void => {
    const why = lost();
    if (why) throw why;
  };
  return {
    ...store,
    path: (...parts) => (check(), store.path(...parts)),
    ...before(store, async () => check(), ['items', 'fates', 'remember', 'writeJson', 'keepJson', 'writeIds', 'event']),
    lost,
    check,
  };
}

/** A store whose writes that a later attempt may have made already pass the fence: what that one has written stays. */
export const fenced = (store: RunStore, fence: () => Promise<void>): RunStore => ({
  ...store,
  ...before(store, fence, ['items', 'fates', 'remember', 'writeJson']),
});

type Writes = Pick<RunStore, 'items' | 'fates' | 'remember' | 'writeJson' | 'keepJson' | 'writeIds' | 'event'>;

/** These writes, each after something else. */
function before<K extends keyof Writes>(store: RunStore, first: () => Promise<void>, names: readonly K[]): Pick<Writes, K> {
  const after =
    <A extends unknown[], R>(write: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await first();
      return write(...args);
    };
  return Object.fromEntries(names.map((name) => [name, after(store[name] as (...args: unknown[]) => Promise<unknown>)])) as Pick<Writes, K>;
}
