import { rmSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

// Ends this process when its parent is no longer the one that started it.

const { parent, tempDir } = workerData as { parent: number; tempDir: string };

setInterval(() => {
  if (process.ppid === parent) return;
  rmSync(tempDir, { recursive: true, force: true });
  process.kill(process.pid, 'SIGKILL');
}, 1_000);
