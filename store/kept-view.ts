import { readJsonFile } from './json-file.ts';
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

const isKept = (found: Partial<KeptView> | null): boolean => {
  const view = found?.view as { state?: unknown; steps?: unknown } | null | undefined;
  return typeof view?.state === 'string' && Array.isArray(view.steps) && typeof found?.endedAt === 'string';
};

const askTemporal =
  'Temporal alone says how the run ended, while it remembers it: see that it answers (portolan doctor), then again; what it did to each item is there without: portolan items RUN';

/**
 * What is said of the run itself: undefined where it has not ended, or ended without its worker; fails with `DamagedFile` where the file is
 * not what was written there, for then it has ended.
 */
export const readWholeView = <V>(store: Pick<RunStore, 'path'>): Promise<KeptView<V> | undefined> =>
  readJsonFile<KeptView<V>>(store.path(viewFile), { is: isKept, without: askTemporal });

/** What others go by: undefined also where the file is damaged, for what is taken over is then asked for as of a run that was terminated. */
export const readKeptView = <V>(store: Pick<RunStore, 'path'>): Promise<KeptView<V> | undefined> =>
  readWholeView<V>(store).catch(() => undefined);
