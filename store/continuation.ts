import { existsSync, readFileSync } from 'node:fs';
import { writeOnceSync, writeWholeSync } from '../files/whole-file.ts';
import type { RunStore } from './run-store.ts';
import { createRunStore } from './create-run-store.ts';
import type { FormerRun } from '../pipelines/former-run.ts';
import { storeBeside } from '../text/store-beside.ts';

/** In the folder of a run: which one continues it. A run is continued once: whoever comes later continues that one. */
export const continuedFile = 'continued.json';

type Of = Pick<FormerRun, 'run' | 'store'>;

/**
 * Makes a run the one that continues another. Returns the run that was first where there is one. A folder that is gone is nobody's: what
 * its run did a person is asked anyway.
 */
export function claimContinuation(of: Of, run: string): string | undefined {
  const store = createRunStore(of.store);
  if (!existsSync(store.path())) return undefined;
  const text = `${JSON.stringify({ run })}\n`;
  if (writeOnceSync(store.path(continuedFile), text)) return undefined;
  const first = continuationIn(store);
  // Cut off by a fault of the disk.
  if (first === undefined) writeWholeSync(store.path(continuedFile), text);
  return first === run ? undefined : first;
}

function continuationIn(store: Pick<RunStore, 'path'>): string | undefined {
  try {
    const { run } = JSON.parse(readFileSync(store.path(continuedFile), 'utf8')) as { run?: unknown };
    return typeof run === 'string' ? run : undefined;
  } catch {
    return undefined;
  }
}

/** The runs that go on from a run one after the other, newest first, as the folders of the runs say. */
export function continuationsOf(of: Of): Of[] {
  const found: Of[] = [];
  const seen = new Set([of.run]);
  for (let at = of; ; at = found[0]!) {
    const run = continuationIn(createRunStore(at.store));
    if (run === undefined || seen.has(run) || !/^\w[\w.-]*$/.test(run)) return found;
    seen.add(run);
    found.unshift({ run, store: storeBeside(of, run) });
  }
}
