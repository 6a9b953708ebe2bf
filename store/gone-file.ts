import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Json } from '../text/json.ts';
import { goneResult } from './results.ts';

/** A file of a run store that a result refers to (id list, kept value, results of a sweep) and that is no longer there. */
export function goneFile(value: Json): string | undefined {
  if (typeof value === 'string') {
    if (!value.startsWith('file:///')) return goneResult(value);
    const path = pathOf(value);
    return path === undefined || existsSync(path) ? undefined : path;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const part of Object.values(value)) {
    const gone = goneFile(part);
    if (gone !== undefined) return gone;
  }
  return undefined;
}

/** Undefined of a text that only looks like the URI of a file: a result may hold any. */
function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
