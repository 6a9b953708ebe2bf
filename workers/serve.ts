import { parseArgs } from 'node:util';
import { runWorker, type WorkerOptions } from './run-worker.ts';

/** A worker as a process that a supervisor started: says when it is ready, drains on SIGTERM, ends with its parent. */
export async function serve({ protect }: Pick<WorkerOptions, 'protect'> = {}): Promise<never> {
  const { values } = parseArgs({
    options: { cwd: { type: 'string', default: process.cwd() }, json: { type: 'boolean', default: false } },
  });
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort());
  if (process.send) process.on('disconnect', () => stop.abort());
  try {
    await runWorker({
      cwd: values.cwd,
      signal: stop.signal,
      report: (line) => void process.stderr.write(`${new Date().toISOString()} ${line}\n`),
      ...(protect ? { protect } : {}),
      onReady: (info) => {
        process.send?.({ ready: true, pid: process.pid, ...info });
        if (values.json) process.stdout.write(`${JSON.stringify({ ready: true, pid: process.pid, ...info })}\n`);
      },
    });
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
