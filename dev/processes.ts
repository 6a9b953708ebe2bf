import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { identify, isAlive } from '../config/identity.ts';
import type { Identity } from '../config/identity.ts';
import { cacheFolder } from '../config/user-folders.ts';

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

/** A process of ours in its own process group. Its entry must exit when its channel closes (`process.once('disconnect')`). */
export type OwnProcess<Ready> = Identity & {
  /** First message it sends; fails with the tail of its log when it ends before. */
  ready: Promise<Ready>;
  exited: Promise<Exit>;
  /** SIGTERM, then after `graceMs` SIGKILL to the whole group. */
  stop(graceMs?: number): Promise<Exit>;
  /** SIGKILL to the whole group, as a crash. */
  kill(): Promise<Exit>;
  /** Lets it outlive this process: closes the channel and waits for nothing. Its entry must be made for that. */
  release(): void;
};

export type SpawnOptions = {
  /** Module relative to the root of the code, without extension: `service/main`. */
  entry: string;
  args: readonly string[];
  /** File that its output is appended to. */
  log: string;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Keeps standard output out of the log: it holds a secret. */
  quiet?: boolean;
  /** Bound of the first message. */
  readyWithinMs?: number;
};

/** File of an entry beside the running code: `.ts` in a checkout, `.js` in the package. */
const entryFile = (entry: string): string => fileURLToPath(new URL(`../${entry}${extname(import.meta.url)}`, import.meta.url));

/** Flags of every Node process of ours. */
const nodeFlags = ['--disable-warning=ExperimentalWarning'];

/**
 * Bodies and ledgers pass through a worker as buffers, which make the collector run long before memory is short: with room
 * to begin with, it runs a few times an ingest instead of every fifteenth chunk (half of the worker's processor time).
 */
const flagsOf: Readonly<Record<string, readonly string[]>> = { 'workers/main': ['--initial-old-space-size=128'] };

/** What one process has compiled the next one reads: a service, or a worker, starts in half of the processor time. */
const compiledCode = (): NodeJS.ProcessEnv => {
  const folder = cacheFolder();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
};

const keepLogBytes = 16 * 1024 * 1024;

/** Opens a log for appending; one that has grown past 16 MB starts anew. */
const openLog = (file: string): number => {
  mkdirSync(dirname(file), { recursive: true });
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > keepLogBytes) truncateSync(file);
  return openSync(file, 'a');
};

/** Last lines of a file; empty where there is none. */
export const tail = (file: string, lines = 12): string => {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '';
  }
};

const since = (file: string, start: number): string => {
  try {
    return readFileSync(file).subarray(start).toString().trimEnd().split('\n').slice(-12).join('\n');
  } catch {
    return '';
  }
};

/** Sends a signal to a process group; a group that has gone is no error. */
export const signalGroup = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

/** Those of this process that have not ended. */
const living = new Set<Pick<OwnProcess<unknown>, 'stop'>>();
let ending = false;

/** Ends all that `spawnOwn` has started in this process, and lets it start nothing more: for one that is about to exit. */
export const endOwn = async (graceMs: number): Promise<void> => {
  ending = true;
  await Promise.all([...living].map((own) => own.stop(graceMs)));
};

/** Starts an entry of ours with Node, in its own process group, joined to this process by a channel. */
export const spawnOwn = <Ready>(options: SpawnOptions): OwnProcess<Ready> => {
  if (ending) throw new Error(`${options.entry} is not started: this process is ending`);
  const log = openLog(options.log);
  const logStart = statSync(options.log).size;
  const child = spawn(process.execPath, [...nodeFlags, ...(flagsOf[options.entry] ?? []), entryFile(options.entry), ...options.args], {
    cwd: options.cwd,
    env: { ...compiledCode(), ...(options.env ?? process.env) },
    detached: true,
    stdio: ['ignore', options.quiet ? 'ignore' : log, log, 'ipc'],
  });
  closeSync(log);
  const pid = child.pid;
  if (pid === undefined) throw new Error(`Could not start ${options.entry}: no process was made; see ulimit -u.`);

  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      // What the process itself started must not outlive it.
      signalGroup(pid, 'SIGKILL');
      resolve({ code, signal });
    });
  });
  const ready = new Promise<Ready>((resolve, reject) => {
    const { readyWithinMs = 60_000 } = options;
    const timer = setTimeout(
      () => reject(new Error(`${options.entry} was not ready within ${readyWithinMs / 1_000} s; its log: ${options.log}`)),
      readyWithinMs,
    );
    child.once('message', (message) => {
      clearTimeout(timer);
      resolve(message as Ready);
    });
    void exited.then(({ code, signal }) => {
      clearTimeout(timer);
      reject(
        new Error(
          `${options.entry} ended before it was ready (${signal ?? `exit ${code}`}); its log: ${options.log}\n${since(options.log, logStart)}`,
        ),
      );
    });
  });
  // Whoever only stops the process need not wait for it first.
  ready.catch(() => undefined);

  const kill = (): Promise<Exit> => {
    if (child.exitCode === null && child.signalCode === null) signalGroup(pid, 'SIGKILL');
    return exited;
  };
  const stop = async (graceMs = 10_000): Promise<Exit> => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => void kill(), graceMs);
    try {
      return await exited;
    } finally {
      clearTimeout(timer);
    }
  };
  const release = (): void => {
    if (child.connected) child.disconnect();
    child.unref();
  };
  const own = { pid, startTime: identify(pid)?.startTime ?? '', ready, exited, stop, kill, release };
  living.add(own);
  void exited.then(() => living.delete(own));
  return own;
};

/** Ends a process that is no child of ours: SIGTERM, then after `graceMs` SIGKILL to its group. Returns once it is dead. */
export const stopForeign = async (identity: Identity, graceMs = 10_000): Promise<void> => {
  const signal = (pid: number, name: NodeJS.Signals): void => {
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  if (!isAlive(identity)) return;
  if (graceMs > 0) signal(identity.pid, 'SIGTERM');
  const deadline = Date.now() + graceMs;
  // A process that is not a child has no event of its death.
  while (isAlive(identity) && Date.now() < deadline) await pause(20);
  while (isAlive(identity)) {
    signal(identity.pid, 'SIGKILL');
    await pause(20);
  }
};
