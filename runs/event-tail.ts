import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunEvent } from '../store/run-store.ts';

/** Reads a run's events as they come: each call returns those written since the last one. A folder that is not there has none. */
export function createEventTail(folder: string): () => Promise<RunEvent[]> {
  const read = new Map<string, number>();
  return async () => {
    const names = await readdir(folder).catch(() => []);
    const fresh = await Promise.all(
      names
        .filter((name) => name.endsWith('.jsonl'))
        .map(async (name) => {
          const from = read.get(name) ?? 0;
          const text = await textFrom(join(folder, name), from).catch(() => Buffer.alloc(0));
          // A line that is being written, or was cut by a kill, is read again next time.
          const whole = text.subarray(0, text.lastIndexOf(0x0a) + 1);
          read.set(name, from + whole.length);
          return whole
            .toString('utf8')
            .split('\n')
            .filter((line) => line.endsWith('}'));
        }),
    );
    return fresh.flat().flatMap((line) => parse(line) ?? []);
  };
}

async function textFrom(path: string, from: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.max(0, size - from));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function parse(line: string): RunEvent | undefined {
  try {
    return JSON.parse(line) as RunEvent;
  } catch {
    // What stands before and after a line cut by a kill may have become one line.
    return undefined;
  }
}
