import { setTimeout as pause } from 'node:timers/promises';
import type { Calls } from '../../client/invoke.ts';

/** Uploads a file to the instance API, and waits until agents take it. */
export async function readyFile({ invoke }: Pick<Calls, 'invoke'>, name: string, content: string | Uint8Array<ArrayBuffer>) {
  const file = await invoke('instance.files.upload', { file: new File([content], name), path: name });
  while ((await invoke('instance.files.status', { id: file.id })).status === 'processing') await pause(10);
  return file;
}
