import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { endWithout } from './end-process.ts';

// A thread of the child. It ends the process when its parent is no longer the one that started it, and when it
// takes too much memory: the parent watches too, but its loop may be busy for longer than a child needs to fill it.

const { parent, tempDir, residentBytes } = workerData as { parent: number; tempDir: string; residentBytes: number };

setInterval(() => {
  if (process.ppid !== parent) endWithout(tempDir);
}, 1_000);

setInterval(() => {
  if (process.memoryUsage.rss() <= residentBytes) return;
  writeSync(2, 'memory limit\n');
  process.kill(process.pid, 'SIGKILL');
}, 25);
