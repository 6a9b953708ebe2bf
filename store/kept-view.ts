import type { RunStore } from './run-store.ts';

/** `view.json` of a run's folder. */
export const viewFile = 'view.json';

/** How a run ended, as its worker wrote it down: what is left where Temporal is away, or has forgotten it. `V`: the view of a run. */
export type KeptView<V = unknown> = {
  view: V;
  /** Execution that ended, and when. */
  runId: string;
  endedAt: string;
  historyEvents: number;
};

export const keepView = (store: RunStore, kept: KeptView): Promise<void> => store.writeJson(viewFile, kept, { synced: false });

/** Undefined where the run has not ended, or ended without its worker. */
export const readKeptView = <V>(store: RunStore): Promise<KeptView<V> | undefined> =>
  store.readJson<KeptView<V>>(viewFile).catch(() => undefined);
