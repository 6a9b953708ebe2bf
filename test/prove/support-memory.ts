import { readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const peakOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024);
};

const childrenOf = async (pid: number): Promise<number[]> => {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
};

/** Resident memory in MB of a process and of all below it, now. Linux only; 0 elsewhere. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const below = await Promise.all((await childrenOf(pid)).map(residentMb));
  return below.reduce((sum, each) => sum + each, Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024);
}

/** Peak resident memory in MB of a process, and of the largest of its children, which come and go. Linux only. */
export function sampleMemory(pid: number): { stop(): Promise<{ worker: number; children: number }> } {
  let children = 0;
  const look = async (): Promise<void> => {
    for (const child of await childrenOf(pid)) children = Math.max(children, await peakOf(child));
  };
  const timer = setInterval(() => void look(), 100);
  return {
    async stop() {
      clearInterval(timer);
      await look();
      return { worker: await peakOf(pid), children };
    },
  };
}

/** The environment of a process whose heap is measured by `heapMb`. */
export const heapEnv = (file: string): Record<string, string> => ({
  HEAP_FILE: file,
  NODE_OPTIONS: `--import ${new URL('../support/heap-on-signal.ts', import.meta.url).href}`,
});

/**
 * MB that a process holds once its garbage is collected: what is resident says more of when V8 last collected than of what is held. The
 * process was started with `heapEnv(file)`.
 */
export async function heapMb(pid: number, file: string): Promise<number> {
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) return Number(text) / 1e6;
    process.kill(pid, 0);
    await sleep(20);
  }
}
