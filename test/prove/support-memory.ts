import { readFile } from 'node:fs/promises';

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
