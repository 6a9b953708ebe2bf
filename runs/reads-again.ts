import { DamagedFile } from '../errors/classes.ts';
import { markToRead } from '../store/mark-to-read.ts';
import { ownerOf, type Marks, type MarkVersion } from '../store/marks.ts';
import { markWords, type Mark } from '../text/mark.ts';

/** A setting of a mark; `readsAgain`: from where the next run reads instead, for the runs that were taken back since. */
export type ShownMark = MarkVersion & { readsAgain?: { from: Mark | null; undone: string[] } };

/** Settings of marks as they are shown: the newest of each says from where the next run reads. `root`: the folder of all runs. */
export async function withReadsAgain(marks: Marks, root: string, versions: readonly MarkVersion[]): Promise<ShownMark[]> {
  // A mark may come with many settings: the newest, which is the last, says all.
  const newest = new Map(versions.map((version) => [JSON.stringify(ownerOf(version)), version]));
  const last = new Set(newest.values());
  return Promise.all(
    versions.map(async (version): Promise<ShownMark> => {
      if (!last.has(version)) return version;
      const next = await markToRead(marks, root, version).catch((error: unknown) => {
        // What cannot be read is named by whoever lists the settings.
        if (error instanceof DamagedFile) return undefined;
        throw error;
      });
      const moved = next?.newest?.version === version.version && next.undone.length > 0;
      return moved ? { ...version, readsAgain: { from: next.mark, undone: next.undone } } : version;
    }),
  );
}

/** Why the next run reads from before a mark, in words. */
export const takenBack = (undone: readonly string[]): string => `${undone.join(', ')} ${undone.length === 1 ? 'was' : 'were'} taken back`;

/** A place to read from, in words. */
export const placeWords = (from: Mark | null): string => (from ? markWords(from) : 'the beginning');
