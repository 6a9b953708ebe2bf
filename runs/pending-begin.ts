import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { shortageOf } from '../errors/system.ts';
import { createRunStore } from '../store/create-run-store.ts';
import type { PendingActivity } from './pending.ts';

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * The activity in which a run makes its folder, where the disk keeps it from that: it is a local one, which the server shows nobody.
 * Empty where the folder is there, and where this host could make it.
 */
export async function pendingBegin(store: string): Promise<PendingActivity[]> {
  let path = createRunStore(store).path();
  if (await exists(path)) return [];
  while (!(await exists(path)) && dirname(path) !== path) path = dirname(path);
  const short = await access(path, constants.W_OK).then(() => undefined, shortageOf);
  if (!short) return [];
  const { message, resource } = short;
  return [{ id: 'begin', step: '', type: 'begin', attempt: 1, waiting: true, lastFailure: { type: 'Unavailable', message, resource } }];
}
