import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '../../scripts/sources.mjs';

export type Command = {
  /** Sends a signal to the command and all that it has started, as a terminal does; one that has ended by then gets none. */
  signalAfter(ms: number, signal: NodeJS.Signals): void;
  /** Resolves when the command has said a text; also when it has ended without. */
  saying(text: string): Promise<void>;
  /** `code`: null where a signal ended it. */
  ended: Promise<{ code: number | null; said: string; ms: number }>;
};

/** A command as a user types it in a folder, in a process group of its own. */
export function spawnCommand(args: readonly string[], cwd: string): Command {
  const child = spawn(process.execPath, [join(root, 'dist', 'cli', 'bin.js'), ...args], {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const from = performance.now();
  let said = '';
  const heard = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      for (const each of heard) each();
    });
  let timer: NodeJS.Timeout | undefined;
  // The pipes are closed by whoever was started last: what goes on in the background holds them.
  const ended = once(child, 'exit').then(async () => {
    const ms = performance.now() - from;
    clearTimeout(timer);
    await pause(20);
    for (const each of heard) each();
    return { code: child.exitCode, said, ms };
  });
  return {
    signalAfter(ms, signal) {
      timer = setTimeout(() => {
        if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, signal);
      }, ms);
    },
    async saying(text) {
      const found = Promise.withResolvers<void>();
      const look = (): void => {
        if (said.includes(text)) found.resolve();
      };
      heard.add(look);
      look();
      await Promise.race([found.promise, ended]);
    },
    ended,
  };
}

/** Command lines of the processes that work in a folder or below it. */
export async function processesIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ').trim();
    if (command !== '' && (cwd === folder || cwd.startsWith(`${folder}/`) || command.includes(folder))) found.push(command.slice(0, 200));
  }
  return found;
}

/** What is left of a list that should become empty. */
export async function sleepUntilNone(list: () => Promise<string[]>, mostMs: number): Promise<string[]> {
  const until = performance.now() + mostMs;
  for (;;) {
    const left = await list();
    if (left.length === 0 || performance.now() > until) return left;
    await pause(100);
  }
}
