import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process beyond its number: numbers are used again, a number with its start time is not. */
export type Identity = { pid: number; startTime: string };

/** Whether what a file holds names a process. Of anything else `isAlive` might say that it lives. */
export const isIdentity = (value: unknown): value is Identity => {
  const { pid, startTime } = (value ?? {}) as Partial<Identity>;
  return typeof pid === 'number' && typeof startTime === 'string';
};

type Found = { startTime: string; zombie: boolean };

/** Name of this boot of the machine, where the system gives it one. */
export const bootId = (): string | undefined => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8);
  } catch {
    return undefined;
  }
};

const fromProc = (pid: number): Found | undefined => {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The command's name stands in brackets and may hold both blanks and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // One boot counts its ticks from zero, so the boot is part of the start time.
  return { startTime: `${bootId()}:${fields[19]}`, zombie: fields[0] === 'Z' || fields[0] === 'X' };
};

const fromPs = (pid: number): Found | undefined => {
  try {
    const line = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '/bin:/usr/bin', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    const [state = '', ...start] = line.split(/\s+/);
    return start.length === 0 ? undefined : { startTime: start.join(' '), zombie: state.startsWith('Z') };
  } catch {
    return undefined;
  }
};

const find = (pid: number): Found | undefined => (process.platform === 'linux' ? fromProc(pid) : fromPs(pid));

/** Identity of a living process; undefined where there is none or only its zombie. */
export const identify = (pid: number): Identity | undefined => {
  const found = find(pid);
  return found === undefined || found.zombie ? undefined : { pid, startTime: found.startTime };
};

/** Whether this very process still lives: same number, same start time, not a zombie. */
export const isAlive = (identity: Identity | undefined): boolean =>
  identity !== undefined && identify(identity.pid)?.startTime === identity.startTime;
