import { relative } from 'node:path';

/** An absolute path as it is typed in a folder: relative to it where it stands inside. */
export const pathFrom = (cwd: string, path: string): string => {
  const inside = relative(cwd, path);
  return inside === '' || inside.startsWith('..') ? path : inside;
};
