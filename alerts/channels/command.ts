import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Channel, Outcome } from './channel.ts';

export type Command = { argv: readonly [program: string, ...args: string[]]; cwd: string; env: Record<string, string>; longestMs: number };

/** Runs a program with a document as its standard input: no shell, a time limit for it and all that it has started. */
export const command = (name: string, { argv: [program, ...args], cwd, env, longestMs }: Command): Channel => ({
  name,
  kind: 'command',
  repeats: false,
  async send(document, signal): Promise<Outcome> {
    // A group of its own, so that what it has started ends with it.
    const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    const kill = (): void => void (child.pid !== undefined && killGroup(child.pid));
    const late = AbortSignal.timeout(longestMs);
    const stop = AbortSignal.any([signal, late]);
    stop.addEventListener('abort', kill, { once: true });
    // An event that has been is not heard.
    if (stop.aborted) kill();
    // It need not read what it is given.
    child.stdin.on('error', () => undefined);
    child.stdin.end(`${JSON.stringify(document)}\n`);
    try {
      const [code, by] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
      if (code === 0) return { is: 'sent', note: 'exit code 0' };
      if (late.aborted) return { is: 'failed', note: `ended after ${longestMs / 1_000} s, its longest time` };
      return { is: signal.aborted ? 'unknown' : 'failed', note: code === null ? `ended by ${by}` : `exit code ${code}` };
    } catch (error) {
      return { is: 'again', note: `${program} cannot be started: ${(error as NodeJS.ErrnoException).code}`, afterMs: 0 };
    } finally {
      stop.removeEventListener('abort', kill);
    }
  },
});

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
