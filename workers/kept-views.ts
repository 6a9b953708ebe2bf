import type { InjectedSinks } from '@temporalio/worker';
import { presentStore } from '../activities/frame/present-store.ts';
import { keepView } from '../store/kept-view.ts';
import type { RunSinks } from '../workflows/messages.ts';

/**
 * Writes down how runs end, while the server learns of it: a slow disk delays no end, and a store that cannot be written fails none.
 * `written` resolves when all is on the disk that has been handed out so far.
 */
export function createKeptViews(): { sinks: InjectedSinks<Pick<RunSinks, 'view'>>; written(): Promise<void> } {
  const underWay = new Set<Promise<void>>();
  const keep = (store: string, kept: Parameters<RunSinks['view']['keep']>[1]): void => {
    const writing = keepView(presentStore(store), kept)
      .catch(() => undefined)
      .finally(() => underWay.delete(writing));
    underWay.add(writing);
  };
  return {
    sinks: { view: { keep: { fn: (_, store, kept) => keep(store, kept) } } },
    written: async () => void (await Promise.all(underWay)),
  };
}
