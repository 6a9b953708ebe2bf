import { join } from 'node:path';
import { keepFor } from '../../landing/file-set.ts';
import type { Landing } from '../../landing/landing.ts';
import type { Land } from '../../landing/landed-tables.ts';
import type { Progress } from '../../pipelines/phases.ts';
import type { SourceFingerprint } from '../../pipelines/plan.ts';
import { fileName, shownPath } from '../../pipelines/source-name.ts';
import type { RunStore } from '../../store/run-store.ts';

/** Fetching for a run: `landed` says where in its folder the files are, by name. */
export type LandFor = () => { land: Land; landed: { [file: string]: string } };

/** Fetches files into the folder of a run, each once; those of `sources` are there already. */
export const landFor =
  (
    { landing, store, report, signal }: { landing: Landing; store: RunStore; report: (progress: Progress) => void; signal: AbortSignal },
    sources: { readonly [path: string]: SourceFingerprint } = {},
  ): LandFor =>
  () => {
    const landed: { [file: string]: string } = Object.assign({}, ...Object.values(sources).map((source) => source.landed ?? {}));
    return {
      landed,
      async land(file) {
        const progress = (done: number, total?: number): void =>
          report({ done, ...(total === undefined ? {} : { total }), unit: 'bytes', note: `fetching ${shownPath(file)}` });
        const name = fileName(file);
        landed[name] ??= await keepFor(store.path(), await landing(file, { signal, progress }));
        return join(store.path(), landed[name]);
      },
    };
  };
