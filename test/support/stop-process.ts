import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** The state of a process as a letter, `T` for stopped; on Linux, where each of its threads has one, those of all. */
function statesOf(pid: number): string[] {
  if (process.platform !== 'linux')
    return [
      execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' })
        .trim()
        .charAt(0),
    ];
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    try {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      // The name of the command stands in brackets, and may hold any.
      return stat.charAt(stat.lastIndexOf(')') + 2);
    } catch {
      // It has ended meanwhile: who is left is looked at again.
      return 'ended';
    }
  });
}

/** Stops a process until SIGCONT, and resolves when it stands still: a busy machine lets it go on for a while after the signal. */
export async function stopProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  while (!statesOf(pid).every((state) => state === 'T')) await pause(1);
}
