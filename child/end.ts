import { rmSync } from 'node:fs';

/** Ends this process at once. DuckDB may still write into the folder while it is removed: tried again, and the end does not wait for it. */
export function endWithout(tempDir: string): void {
  try {
    rmSync(tempDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}
