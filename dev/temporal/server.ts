import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { DevError } from '../dev-error.ts';
import { freePort } from '../ports.ts';
import type { AskedPort } from '../ports.ts';
import { isAlive } from '../../config/identity.ts';
import { spawnOwn, stopForeign, tail } from '../processes.ts';
import type { Exit, OwnProcess } from '../processes.ts';
import { temporalFiles } from './files.ts';
import { readRecord, readWholeRecord } from './record.ts';
import type { WatcherMessage } from './watcher.ts';

export type TemporalOptions = {
  /** The `.portolan` folder: database, lock and log of the server live there. */
  dir: string;
  /** The `temporal` command. */
  binary: string;
  port?: AskedPort;
  /** @default 1,000 above the port */
  uiPort?: AskedPort;
  /** Without the Web UI. */
  headless?: boolean;
  /** False: the server's own defaults instead of the quick settings. */
  fast?: boolean;
  /** Dynamic configuration of the server beside the quick settings. */
  settings?: Readonly<Record<string, string | number>>;
  /** One that this process had started in the folder has ended, server and all: nothing else can be left there. */
  afterOwn?: boolean;
};

export type TemporalServer = {
  address: string;
  uiUrl?: string;
  /** The watcher's process. */
  pid: number;
  serverPid: number;
  stop(): Promise<void>;
  /** SIGKILL to server and watcher, as a crash. */
  kill(): Promise<void>;
  /** Fulfilled when server and watcher are gone, for whatever reason. */
  exited: Promise<Exit>;
};

const attempts = 5;

const lastPort = 65_535;

const uiBeside = (port: number): AskedPort => ({ port: port + 1_000 > lastPort ? port - 1_000 : port + 1_000 });

const portFreeWithinMs = 2_000;

/**
 * Ends a server whose watcher was killed; true where there may have been one. It holds its port for a moment after
 * its death still, while its threads end, and the next one would be given another.
 */
const stopOrphan = async (dir: string, afterOwn: boolean): Promise<boolean> => {
  const record = afterOwn ? readRecord(dir) : readWholeRecord(dir);
  if (!record || record.stopping || isAlive(record.watcher)) return false;
  await stopForeign(record.server, 0);
  return true;
};

const startOnce = async (
  options: TemporalOptions,
): Promise<{ watcher: OwnProcess<WatcherMessage>; message: WatcherMessage; port: number; uiPort?: number }> => {
  const dir = resolve(options.dir);
  const orphaned = await stopOrphan(dir, options.afterOwn === true);
  const waitMs = orphaned ? portFreeWithinMs : 0;
  const port = await freePort(options.port, waitMs);
  const uiPort = options.headless ? undefined : await freePort(options.uiPort ?? uiBeside(port), waitMs);
  const args = ['--dir', dir, '--binary', resolve(options.binary), '--port', String(port)];
  if (uiPort !== undefined) args.push('--ui-port', String(uiPort));
  if (options.fast === false) args.push('--defaults');
  for (const [key, value] of Object.entries(options.settings ?? {})) args.push('--setting', `${key}=${JSON.stringify(value)}`);
  const watcher = spawnOwn<WatcherMessage>({ entry: 'dev/temporal/watcher', args, log: temporalFiles(dir).log });
  const message = await watcher.ready;
  return { watcher, message, port, ...(uiPort !== undefined && { uiPort }) };
};

/** Why a server ended, by its log: what stands at the head of its last crash, which the states of a thousand threads follow; else its end. */
const lastWords = (log: string, crashed: boolean): string => {
  const lines = tail(log, Infinity).split('\n');
  const head = crashed ? lines.findLastIndex((line) => /^(panic|fatal error): /.test(line)) : -1;
  return (head < 0 ? lines.slice(-4) : lines.slice(head, head + 4)).join('\n');
};

/**
 * Starts the Temporal dev server of a folder under its watcher; returns when it is healthy.
 * Fails when the folder is in use (names the process) or the server does not start (with its last lines).
 */
export const startTemporal = async (options: TemporalOptions): Promise<TemporalServer> => {
  mkdirSync(options.dir, { recursive: true, mode: 0o700 });
  const { log } = temporalFiles(options.dir);
  for (let attempt = 1; ; attempt++) {
    const { watcher, message, port, uiPort } = await startOnce(options);
    if (message.state === 'serving') {
      return {
        address: `127.0.0.1:${port}`,
        ...(uiPort !== undefined && { uiUrl: `http://127.0.0.1:${uiPort}` }),
        pid: watcher.pid,
        serverPid: message.server.pid,
        stop: async () => void (await watcher.stop()),
        kill: async () => void (await watcher.kill()),
        exited: watcher.exited,
      };
    }
    await watcher.stop();
    if (message.state === 'refused')
      throw new DevError(message.message, message.remedy ?? 'use that server, stop it (portolan dev --stop), or work in another folder');
    const crashed = message.crashed === true;
    const said = lastWords(log, crashed);
    // The server opens its ports itself: between the look and that another program may take one of them. And seldom it crashes while
    // it starts, as by two of its threads in one map (temporalio/cli#199): the next start on the same file goes well.
    if (attempt < attempts && (crashed || said.includes('address already in use'))) continue;
    throw new DevError(`${message.message}\n${said}`, `its log: ${log}`);
  }
};
