const everyBytes = 32 * 1024 * 1024;
let dropped = 0;

/**
 * Counts bytes outside the JavaScript heap that are no longer needed, and collects them from time to time: the collector
 * does not see how large DuckDB's vectors are, and would come only after the watchdog (measured on 1 GiB of Arrow).
 */
export function drop(bytes: number): void {
  dropped += bytes;
  if (dropped < everyBytes) return;
  dropped = 0;
  globalThis.gc?.();
}
