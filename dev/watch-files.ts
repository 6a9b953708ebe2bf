import { existsSync, statSync, watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { dirname, resolve } from 'node:path';

const debounceMs = 150;

const stamp = (file: string): string => {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? `${file} absent` : `${file} ${found.mtimeMs} ${found.size}`;
};

// The folder that holds everything a pattern can match.
const baseOf = (root: string, pattern: string): string => {
  const fixed = pattern.split('/').slice(0, -1);
  const glob = fixed.findIndex((part) => /[*?{[]/.test(part));
  return resolve(root, ...(glob === -1 ? fixed : fixed.slice(0, glob)));
};

export type WatchOptions = {
  root: string;
  /** Globs or files that count now, relative to the root. */
  patterns: () => Promise<readonly string[]>;
  /** The files that count now. */
  files: () => Promise<readonly string[]>;
  /** Called after a change of any of them, an added or removed one included. */
  changed: () => void;
};

/** Watches files for real changes: a touch of other files in their folders, or one that leaves size and time, is none. */
export const watchFiles = async ({ root, patterns, files, changed }: WatchOptions): Promise<{ close(): void }> => {
  const watchers = new Map<string, FSWatcher>();
  const signature = async (): Promise<string> => (await files()).map(stamp).join('\n');
  let last = await signature();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const look = async (): Promise<void> => {
    await arm();
    const now = await signature().catch(() => last);
    if (closed || now === last) return;
    last = now;
    changed();
  };
  const touched = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void look(), debounceMs);
  };
  const arm = async (): Promise<void> => {
    // While the configuration is broken its folders are not known; the root is watched all the same.
    const bases = [root, ...(await patterns().catch(() => [])).map((pattern) => baseOf(root, pattern))];
    for (const base of bases) {
      // A folder that does not exist yet is seen when its parent changes.
      const folder = existsSync(base) ? base : dirname(base);
      if (closed || watchers.has(folder) || !existsSync(folder)) continue;
      const watcher = watch(folder, touched);
      watcher.on('error', () => {
        watcher.close();
        watchers.delete(folder);
        touched();
      });
      watchers.set(folder, watcher);
    }
  };
  await arm();

  return {
    close: () => {
      closed = true;
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
};
