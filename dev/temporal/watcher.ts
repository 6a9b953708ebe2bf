import { spawn } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { identify, isAlive } from '../../config/identity.ts';
import type { Identity } from '../../config/identity.ts';
import { untilHealthy } from './grpc-health.ts';
import { DevError } from '../dev-error.ts';
import { takeLock } from '../lock.ts';
import { stopForeign } from '../processes.ts';
import { removeHalfMade } from './half-made.ts';
import { temporalFiles, writeJsonFile } from './files.ts';
import type { TemporalRecord } from './files.ts';
import { readRecord } from './record.ts';

/** First message of the watcher. */
export type WatcherMessage =
  | { state: 'serving'; server: Identity }
  | { state: 'refused'; message: string; remedy?: string | undefined }
  | { state: 'failed'; message: string; crashed?: boolean };

// The server's defaults put every step on a 50 ms grid and every short timer at about a second.
const quick = {
  'history.transferProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxTimeShift': '10ms',
  'history.maxInFlightUpdates': 1000,
};

/** What Go's runtime ends a process with that it cannot continue. */
const crash = 2;

const startWithinMs = 30_000;
const killAfterMs = 5_000;
const predecessorWithinMs = 10_000;

const { values } = parseArgs({
  options: {
    dir: { type: 'string' },
    binary: { type: 'string' },
    port: { type: 'string' },
    'ui-port': { type: 'string' },
    defaults: { type: 'boolean', default: false },
    setting: { type: 'string', multiple: true, default: [] },
  },
});
const { dir, binary, port } = values;
if (dir === undefined || binary === undefined || port === undefined)
  throw new Error('Usage: temporal-watcher --dir DIR --binary FILE --port N');
const files = temporalFiles(dir);

const say = (message: WatcherMessage): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined || !process.connected) return resolve();
    process.send(message, () => resolve());
  });

const lockOrRefusal = (): { message: string; remedy?: string | undefined } | undefined => {
  try {
    if (takeLock(files.lock) !== undefined) return undefined;
  } catch (error) {
    if (error instanceof DevError) return { message: error.message, remedy: error.remedy };
    throw error;
  }
  const holder = readRecord(dir);
  // A watcher whose parent has gone is ending its server right now: worth waiting for.
  const leaving = holder === undefined || holder.stopping || !isAlive(holder.parent) || !isAlive(holder.watcher);
  if (leaving && takeLock(files.lock, predecessorWithinMs) !== undefined) return undefined;
  const who = holder === undefined ? 'another process' : `process ${holder.watcher.pid} (server ${holder.server.pid}, ${holder.address})`;
  return { message: `${dir} is in use: ${who} runs the Temporal server of this folder` };
};

const refusal = lockOrRefusal();
if (refusal !== undefined) {
  await say({ state: 'refused', ...refusal });
  process.exit(1);
}

const orphan = readRecord(dir)?.server;
if (orphan !== undefined) await stopForeign(orphan, 0);
if (removeHalfMade(files.database)) process.stderr.write(`${files.database} was cut short while it was made: it is made anew\n`);

const address = `127.0.0.1:${port}`;
const ui = values['ui-port'];
const settings = [
  ...(values.defaults ? [] : Object.entries(quick).map(([key, value]) => `${key}=${JSON.stringify(value)}`)),
  ...values.setting,
];
const server = spawn(
  binary,
  [
    ...['server', 'start-dev', '--db-filename', basename(files.database), '--ip', '127.0.0.1', '--port', port],
    ...(ui === undefined ? ['--headless'] : ['--ui-port', ui]),
    ...['--namespace', 'default', '--log-level', 'warn'],
    ...settings.flatMap((setting) => ['--dynamic-config-value', setting]),
  ],
  // Of a path the server would read '#', '?' and '%' as parts of an address: it is given the name alone, in its folder.
  { cwd: dirname(files.database), stdio: ['ignore', 'pipe', 'inherit'] },
);
const started = new AbortController();
// Its first lines name the port that it has opened. Who is healthy there may be another server, which took the port before it.
const opened = new Promise<boolean>((resolve) => {
  let said = '';
  server.stdout.on('data', (bytes: Buffer) => {
    process.stdout.write(bytes);
    said = `${said}${bytes.toString()}`.slice(-10_000);
    if (said.includes(`:${port}`)) resolve(true);
  });
  started.signal.addEventListener('abort', () => resolve(false));
});
let stopping = false;

const record = (): void => {
  const identity = server.pid === undefined ? undefined : identify(server.pid);
  const watcher = identify(process.pid);
  const parent = identify(process.ppid);
  if (identity === undefined || watcher === undefined) return;
  const uiUrl = ui === undefined ? undefined : `http://127.0.0.1:${ui}`;
  writeJsonFile(files.record, {
    watcher,
    ...(parent && { parent }),
    server: identity,
    address,
    ...(uiUrl && { uiUrl }),
    stopping,
  } satisfies TemporalRecord);
};
record();

const stop = (): void => {
  if (stopping) return;
  stopping = true;
  record();
  server.kill('SIGTERM');
  setTimeout(() => server.kill('SIGKILL'), killAfterMs).unref();
};
process.once('disconnect', stop);
process.once('SIGTERM', stop);
process.once('SIGINT', stop);

server.once(
  'error',
  (error) => void say({ state: 'failed', message: `${binary} did not start: ${error.message}` }).then(() => process.exit(1)),
);
server.once('exit', (code, signal) => {
  started.abort();
  const message = `the Temporal server ended (${signal ?? `exit ${code}`})`;
  void say({ state: 'failed', message, crashed: code === crash }).then(() => process.exit(stopping ? 0 : 1));
});

const timer = setTimeout(() => started.abort(), startWithinMs);
const serving = (await untilHealthy(address, started.signal)) && (await opened);
clearTimeout(timer);
if (serving && server.pid !== undefined) {
  const identity = identify(server.pid);
  if (identity !== undefined) await say({ state: 'serving', server: identity });
} else if (server.exitCode === null && server.signalCode === null) {
  await say({ state: 'failed', message: `the Temporal server at ${address} was not healthy within ${startWithinMs / 1000} s` });
  stop();
}
