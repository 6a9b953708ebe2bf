import { existsSync, statSync, watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isGlob } from '../text/glob.ts';

const debounceMs = 150;

const stamp = (file: string): string => {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? `${file} absent` : `${file} ${found.mtimeMs} ${found.size}`;
};

/** Folders where files that a pattern matches are, or may come: the one that holds all of them, and those below it that it names by globs. */
async function foldersOf(root: string, pattern: string): Promise<string[]> {
  const parts = pattern.split('/').slice(0, -1);
  const first = parts.findIndex(isGlob);
  if (first === -1) return [resolve(root, ...parts)];
  const folders = [resolve(root, ...parts.slice(0, first))];
  const exclude = ({ name }: { name: string }): boolean =>
    name === 'node_modules' || (name.startsWith('.') && name !== '.' && name !== '..');
  for (let length = first + 1; length <= parts.length; length++)
    for await (const entry of glob(parts.slice(0, length).join('/'), { cwd: root, withFileTypes: true, exclude }))
      if (entry.isDirectory()) folders.push(join(entry.parentPath, entry.name));
  return folders;
}

/** Which folder stands at a path: one that is removed and made anew is another, and a watcher of the first sees nothing of it. */
const identityOf = (folder: string): string | undefined => {
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.ino} ${found.birthtimeNs}`;
};

/** A folder that does not exist yet is seen when the nearest one above it that does changes. */
const existing = (folder: string): string => (existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder)));

/** Undefined of a folder that may not be read, or where the system has no room for one more: what comes there is not seen. */
function watcherOf(folder: string, touched: () => void): FSWatcher | undefined {
  try {
    return watch(folder, touched);
  } catch {
    return undefined;
  }
}

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
  const watchers = new Map<string, { watcher: FSWatcher; identity: string }>();
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
    const named = await patterns()
      .then((all) => Promise.all(all.map((pattern) => foldersOf(root, pattern))))
      .catch(() => []);
    const holding = (await files().catch(() => [])).map((file) => dirname(file));
    for (const [folder, { watcher, identity }] of watchers) {
      if (identityOf(folder) === identity) continue;
      watcher.close();
      watchers.delete(folder);
    }
    for (const folder of [root, ...named.flat(), ...holding].map(existing)) {
      const identity = identityOf(folder);
      if (closed || watchers.has(folder) || identity === undefined) continue;
      const watcher = watcherOf(folder, touched);
      if (watcher === undefined) continue;
      watcher.on('error', () => {
        watcher.close();
        watchers.delete(folder);
        touched();
      });
      watchers.set(folder, { watcher, identity });
    }
  };
  await arm();

  return {
    close: () => {
      closed = true;
      clearTimeout(timer);
      for (const { watcher } of watchers.values()) watcher.close();
    },
  };
};
