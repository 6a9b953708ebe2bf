import { renameSync, rmSync } from 'node:fs';

const otherThreadMs = 2_000;

/**
 * Ends this process at once, and its folder with it. DuckDB may still write there: by its old name there is no
 * folder any more. Two threads may come to this; the second one leaves the first its time.
 */
export function endWithout(tempDir: string): void {
  const gone = `${tempDir}.gone`;
  try {
    renameSync(tempDir, gone);
    rmSync(gone, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
    // Unless it made the folder anew.
    rmSync(tempDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  } catch {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, otherThreadMs);
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}
