import { readdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import proto from '@temporalio/proto';
import type { temporal } from '@temporalio/proto';

export const { History } = proto.temporal.api.history.v1;
const { TASK_QUEUE_KIND_STICKY: sticky } = proto.temporal.api.enums.v1.TaskQueueKind;
export type History = temporal.api.history.v1.IHistory;

/** Histories of an interpreter version, kept for ever: what runs of that version have done must replay. */
export const folderOf = (version: string): string => fileURLToPath(new URL(`${version}/`, import.meta.url));

/** Every golden history of a version, by name. */
export async function goldenHistories(version: string): Promise<{ name: string; history: () => History }[]> {
  const folder = folderOf(version);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.bin')).sort();
  return Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(folder + name);
      // Decoded anew for each replay: a test may change its copy.
      return { name: name.slice(0, -'.bin'.length), history: () => History.decode(bytes) };
    }),
  );
}

/** A history without what comes from the machine that it was recorded on: processes, hosts, the queues named after them, paths in stacks. */
export function anonymous(history: History): History {
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
    if ('kind' in value && value.kind === sticky) delete (value as { name?: string }).name;
    for (const [key, part] of Object.entries(value)) {
      if (key === 'data' && part instanceof Uint8Array)
        (value as Record<string, unknown>)[key] = Buffer.from(
          Buffer.from(part)
            .toString()
            .replaceAll(`"host":"${hostname()}"`, '"host":"recorder"')
            .replaceAll(/[\w/.-]*\/portolan-stack-\w+/g, '/srv/recorder'),
        );
      else if (typeof part === 'string' && ['identity', 'stackTrace', 'binaryChecksum', 'buildId'].includes(key))
        (value as Record<string, unknown>)[key] = '';
      else walk(part);
    }
  };
  const copy = History.decode(History.encode(history).finish());
  walk(copy);
  return copy;
}

/** A history whose workflow has been on another queue: a worker that replays names its own, and what a workflow begins may be called by it. */
export function onQueue(history: History, queue: string): History {
  const recorded = history.events![0]!.workflowExecutionStartedEventAttributes!.taskQueue!.name!;
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
    for (const [key, part] of Object.entries(value))
      if (typeof part === 'string') (value as Record<string, unknown>)[key] = part.replaceAll(recorded, queue);
      else walk(part);
  };
  walk(history);
  return history;
}
