import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Unavailable } from '../../errors/classes.ts';
import { childLimits } from '../child-limits.ts';
import type { ChildReply, ChildRequest, ChildSettings } from '../protocol.ts';
import { killGroup, residentBytes } from './watchdog.ts';

/** How a child ended, with the end of what it said on stderr. */
export type Ended = { code: number | null; signal: NodeJS.Signals | null; stderr: string };

export type Child = {
  pid: number;
  /** False once it has ended or has been killed. */
  readonly alive: boolean;
  send(request: ChildRequest): void;
  onReply: ((reply: ChildReply) => void) | undefined;
  onEnd: ((ended: Ended) => void) | undefined;
  /** While a request runs the child keeps the parent alive; between requests it does not. */
  hold(held: boolean): void;
  residentBytes(): ReturnType<typeof residentBytes>;
  /** Ends the whole process group; once it has ended, nothing. */
  kill(): void;
  /** Settles when the process is gone and its folder removed. */
  ended: Promise<void>;
};

const own = fileURLToPath(import.meta.url);
const entry = join(own, '..', '..', 'inside', `main${extname(own)}`);

/** Starts a child in its own process group, with its own folder for temporary files and an empty environment. */
export async function startChild({
  memoryMb,
  tempGiB,
  tempDir: parent,
}: {
  memoryMb: number;
  tempGiB: number;
  tempDir?: string | undefined;
}): Promise<Child> {
  const tempDir = await mkdtemp(join(parent ?? tmpdir(), 'portolan-tables-'));
  const settings: ChildSettings = {
    tempDir,
    memoryMb: Math.floor(memoryMb * childLimits.engineShare),
    residentBytes: memoryMb * 1024 * 1024,
    tempGiB,
  };
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--expose-gc', `--max-old-space-size=${childLimits.heapMb}`, entry, JSON.stringify(settings)],
    {
      cwd: tempDir,
      detached: true,
      // Nothing of the parent's environment: an expression or a parser that went wrong finds no secret there.
      env: { TZ: 'UTC', LANG: 'C.UTF-8', HOME: tempDir, TMPDIR: tempDir },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    },
  );
  let stderr = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-4_000);
  });
  const { promise: ended, resolve: setEnded } = Promise.withResolvers<void>();
  let over = false;
  let killed = false;
  const end = (code: number | null, signal: NodeJS.Signals | null): void => {
    if (over) return;
    over = true;
    self.onEnd?.({ code, signal, stderr });
    void rm(tempDir, { recursive: true, force: true })
      .catch(() => undefined)
      .then(setEnded);
  };
  child.on('error', () => end(null, null)).on('close', end);
  child.on('message', (reply) => self.onReply?.(reply as ChildReply));
  const self: Child = {
    pid: child.pid ?? -1,
    get alive() {
      return !over && !killed;
    },
    // A child that is gone already is reported by its end, not by the failed write.
    send: (request) => void child.send(request, () => undefined),
    onReply: undefined,
    onEnd: undefined,
    hold(held) {
      const streams = [child, child.channel, child.stderr instanceof Socket ? child.stderr : undefined];
      for (const part of streams) held ? part?.ref() : part?.unref();
    },
    residentBytes: () => residentBytes(self.pid),
    kill() {
      if (over) return;
      killed = true;
      // Its end frees a place and removes its folder: the parent sees to that before it leaves.
      self.hold(true);
      if (self.pid > 0) killGroup(self.pid);
    },
    ended,
  };
  if (child.pid === undefined) {
    await rm(tempDir, { recursive: true, force: true });
    throw new Unavailable('process', `cannot start the process that opens tables (${entry})`);
  }
  return self;
}
