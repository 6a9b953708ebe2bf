import { invalid } from '../../core/errors.ts';

/** Longest name of a file or folder, in characters. */
const longestName = 255;

const checked = (field: string, name: string): string => {
  if (name === '' || name === '.' || name === '..') throw invalid(field, `'${name}' is no name of a file or folder`);
  if (name.length > longestName) throw invalid(field, `a name has at most ${longestName} characters`);
  // oxlint-disable-next-line no-control-regex -- a name with them could be shown nowhere
  if (/[\u0000-\u001f]/.test(name)) throw invalid(field, 'a name holds no control characters');
  return name;
};

/** Where a file goes: the folders on the way, and its name, by `path` or else by the name that was sent with its bytes. */
export const placeOf = (path: string | undefined, filename: string): { folders: string[]; name: string } => {
  if (path === undefined) {
    if (filename === '') throw invalid('file', 'has no name: send a filename, or path');
    return { folders: [], name: checked('file', filename) };
  }
  const parts = path.replace(/^\//, '').split('/');
  const names = parts.map((part) => checked('path', part));
  return { folders: names.slice(0, -1), name: names.at(-1)! };
};
