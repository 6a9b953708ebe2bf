import { workerData } from 'node:worker_threads';
import { endWithout } from './end.ts';

// Ends this process when its parent is no longer the one that started it.

const { parent, tempDir } = workerData as { parent: number; tempDir: string };

setInterval(() => {
  if (process.ppid === parent) return;
  endWithout(tempDir);
}, 1_000);
