import { lstatSync, realpathSync, rmSync } from 'node:fs';

/** Removes what a link leads to, before the link itself goes; nothing where the path is no link. */
export function removeLinked(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(realpathSync(path), { recursive: true, force: true });
}
