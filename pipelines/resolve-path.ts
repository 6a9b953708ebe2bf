import { isAddress } from './source-name.ts';

/** A path as a folder (absolute) sees it, without `.` and `..`. Addresses stay as they are. Also in the workflow sandbox, which has no `node:path`. */
export function resolvePath(path: string, folder: string): string {
  if (isAddress(path) || path.startsWith('/')) return path;
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/'))
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  return `/${parts.join('/')}`;
}
