import { endOwn } from './processes.ts';
import { startDev } from './supervisor.ts';
import type { Dev, DevOptions } from './supervisor.ts';

/** First message of the detached supervisor. */
export type DetachedMessage = { state: 'ready' } | { state: 'failed'; message: string; remedy?: string };

const options = JSON.parse(process.argv[2] ?? '{}') as Omit<DevOptions, 'report'>;
const report = (line: string): void => console.log(`${new Date().toISOString()} ${line}`);

const say = (message: DetachedMessage): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined || !process.connected) return resolve();
    process.send(message, () => resolve());
  });

/** Less than `dev --stop` waits for. */
const endWithinMs = 20_000;

let dev: Dev | undefined;
let stopping = false;
const stop = async (): Promise<void> => {
  if (stopping) return;
  stopping = true;
  report('stopping');
  if (dev !== undefined) await dev.stop();
  else {
    // What was started is not in the hands of a `dev` yet. It would end as its channel closes, but after this process.
    await endOwn(endWithinMs);
    await say({ state: 'failed', message: 'portolan dev was stopped while it started' });
  }
  process.exit(0);
};
process.once('SIGTERM', () => void stop());
process.once('SIGINT', () => void stop());
// A closed terminal is no reason to end.
process.on('SIGHUP', () => undefined);

try {
  dev = await startDev({ ...options, report });
  if (!stopping) {
    report('ready');
    await say({ state: 'ready' });
  }
} catch (error) {
  // A start that is stopped fails too: the stop says so, and waits for what it ends.
  if (!stopping) {
    const { message, remedy } = error as { message: string; remedy?: string };
    report(message);
    await say({ state: 'failed', message, ...(remedy !== undefined && { remedy }) });
    process.exit(1);
  }
}
