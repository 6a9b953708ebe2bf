import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunStore } from './run-store.ts';
import { sharedFolder } from './shared-folder.ts';

const longestPauseMs = 200;

/**
 * Does something that nothing else of the run store does at the same time under this name, in whatever process: the name is a database
 * that is locked by a transaction, which the end of a process ends too, also by a kill.
 */
export async function exclusively<T>(
  store: Pick<RunStore, 'path'>,
  name: string,
  { signal }: { signal: AbortSignal },
  act: () => Promise<T>,
): Promise<T> {
  const { DatabaseSync } = await import('node:sqlite');
  const folder = sharedFolder(dirname(store.path()), 'exclusive');
  mkdirSync(folder, { recursive: true });
  const db = new DatabaseSync(join(folder, `${createHash('sha256').update(name).digest('hex').slice(0, 32)}.sqlite`));
  try {
    for (let pauseMs = 5; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
      try {
        db.exec('BEGIN IMMEDIATE');
        break;
      } catch (error) {
        if (!isBusy(error)) throw error;
        await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, { signal });
      }
    }
    return await act();
  } finally {
    db.close();
  }
}

/** SQLITE_BUSY: another one has it. */
const isBusy = (error: unknown): boolean => error instanceof Error && 'errcode' in error && (error.errcode as number) % 256 === 5;
