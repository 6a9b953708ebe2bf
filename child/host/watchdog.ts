import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Resident bytes of a process, undefined once it is gone. Linux reads /proc (in kB there, whatever the page size), other systems ask `ps`. */
export function residentBytes(pid: number): Promise<number | undefined> | number | undefined {
  if (process.platform === 'linux') {
    try {
      // Read in one go and synchronously: the answer must not wait behind the loop it protects.
      const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
      return found ? Number(found[1]) * 1024 : undefined;
    } catch {
      return undefined;
    }
  }
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'rss=', '-p', String(pid)], (error, stdout) => resolve(error ? undefined : Number(stdout.trim()) * 1024));
  });
}

/** Kills a whole process group; a group that is gone is fine. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // gone already
    }
  }
}

/**
 * Watches one process until stopped: `onLimit` is called once, when it holds more than `memoryBytes` or when
 * `timeMs` have passed and what it was extended by, in all no more than `mostMs`. Neither DuckDB's own limit nor V8's stops every allocation; this does.
 */
export function watch(
  pid: number,
  limits: { memoryBytes: number; timeMs: number; mostMs?: number | undefined },
  onLimit: (verdict: 'too_large' | 'timeout') => void,
): { stop(): void; extend(ms: number): void } {
  const everyMs = process.platform === 'linux' ? 25 : 250;
  let done = false;
  const { timeMs, mostMs = Infinity } = limits;
  const last = performance.now() + mostMs;
  let until = Math.min(last, performance.now() + timeMs);
  const stop = (): void => {
    done = true;
    clearTimeout(clock);
    clearInterval(poll);
  };
  const end = (verdict: 'too_large' | 'timeout'): void => {
    if (done) return;
    stop();
    onLimit(verdict);
  };
  const tick = (): void => {
    const left = until - performance.now();
    if (left <= 0) end('timeout');
    else if (!done) clock = setTimeout(tick, left);
  };
  let clock = setTimeout(tick, Math.min(timeMs, mostMs));
  const poll = setInterval(() => {
    const seen = residentBytes(pid);
    if (typeof seen === 'number') {
      if (seen > limits.memoryBytes) end('too_large');
    } else void seen?.then((bytes) => bytes !== undefined && bytes > limits.memoryBytes && end('too_large'));
  }, everyMs);
  return { stop, extend: (ms) => void (until = Math.min(last, until + ms)) };
}
