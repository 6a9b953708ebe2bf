import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { shortageOf } from '../errors/system.ts';
import { createRunStore } from '../store/create-run-store.ts';
import type { PendingActivity } from './pending.ts';

/**
 * The activity in which a run makes its folder, where the disk keeps it from that: it is a local one, which the server shows nobody.
 * Empty where the folder is there, and where this host could make it within the run store.
 */
export async function pendingBegin(store: string): Promise<PendingActivity[]> {
  const folder = createRunStore(store).path();
  const short = await stat(folder).then(
    () => undefined,
    () => access(dirname(folder), constants.W_OK).then(() => undefined, shortageOf),
  );
  if (!short) return [];
  const { message, resource } = short;
  return [{ id: 'begin', step: '', type: 'begin', attempt: 1, waiting: true, lastFailure: { type: 'Unavailable', message, resource } }];
}
