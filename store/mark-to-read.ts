import { pathToFileURL } from 'node:url';
import type { Mark } from '../text/mark.ts';
import type { MarkOwner, Marks, MarkVersion } from './marks.ts';
import { namesIn } from './names-in.ts';
import { wasUndone } from './was-undone.ts';

/** What a step reads from. */
export type MarkToRead = {
  mark: Mark | null;
  /** What the next setting follows. */
  newest?: MarkVersion;
  /** The setting whose list of what was seen counts. */
  listed?: MarkVersion;
  /** Runs that were taken back, whose rows are read again. */
  undone: string[];
};

/** Ids of runs that may take another one back: the long ones end with a hash. */
const mayUndo = /\.undo(-\d+)?$|-[0-9a-f]{12}$/;

/**
 * The mark from which the next run reads: the newest setting; or what stood before the first one that was made by a run which was taken back
 * since, for the rows that it took are gone. `root`: the folder of all runs; `step`: the path that the owner has in its run.
 */
export async function markToRead(marks: Marks, root: string, owner: MarkOwner, step = owner.step): Promise<MarkToRead> {
  const newest = await marks.newest(owner);
  if (newest === undefined) return { mark: null, undone: [] };
  const asItIs: MarkToRead = { mark: newest.to, newest, listed: newest, undone: [] };
  const runs = new Set(await namesIn(root));
  if (![...runs].some((name) => mayUndo.test(name))) return asItIs;
  const history = await marks.history(owner);
  // A person who sets the mark has the last word.
  const since = history.findLastIndex(({ run }) => run === undefined) + 1;
  const again = new Set(history.flatMap((version) => version.again ?? []));
  const undone: (MarkVersion & { run: string })[] = [];
  for (const { run, ...version } of history.slice(since)) {
    if (run === undefined || again.has(run)) continue;
    if (await wasUndone({ run, store: `${pathToFileURL(root).href}/${run}` }, step, runs)) undone.push({ ...version, run });
  }
  const [first] = undone;
  // Without a list: what was seen before that is read once more, and found there.
  return first ? { mark: first.from, newest, undone: undone.map(({ run }) => run) } : asItIs;
}
