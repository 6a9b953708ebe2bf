import type { InjectedSinks } from '@temporalio/worker';
import { presentStore } from '../activities/frame/present-store.ts';
import { keepView } from '../store/kept-view.ts';
import type { RunSinks } from '../workflows/messages.ts';

/**
 * Writes down how runs end. The workflow task waits for it, so that nobody hears of an end that is not there to be read; a store
 * that cannot be written fails none.
 */
export const keptViews: InjectedSinks<Pick<RunSinks, 'view'>> = {
  view: { keep: { fn: (_, store, kept) => keepView(presentStore(store), kept).catch(() => undefined) } },
};
