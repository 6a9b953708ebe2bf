import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { expandPath } from './source-files.ts';

/** A file that is gone over as it is. `modified`: ISO 8601, UTC. */
export type ListedFile = { path: string; name: string; bytes: number; modified: string };

/** The files of a path or glob, by name, and what recognises them: names, sizes and times. Fails with `BadInput` where a glob matches none. */
export async function listFiles(pattern: string): Promise<{ files: ListedFile[]; sha256: string; bytes: number }> {
  const files: ListedFile[] = [];
  for (const { path, name } of await expandPath(pattern)) {
    const { size, mtime } = await stat(path);
    files.push({ path, name, bytes: size, modified: mtime.toISOString() });
  }
  const lines = files.map(({ name, bytes, modified }) => `${JSON.stringify([name, bytes, modified])}\n`);
  return {
    files,
    sha256: createHash('sha256').update(lines.join('')).digest('hex'),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
