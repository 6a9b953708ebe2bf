import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Place } from './places.ts';

const execute = promisify(execFile);

/** What became of a shell line: its exit code, what it wrote to stdout, and all that it printed. */
export type Ended = { code: number; out: string; said: string };

/** Carries out a shell line in a place; that it fails is an end like any other. */
export const shell = (line: string, { dir, env }: Pick<Place, 'dir' | 'env'>): Promise<Ended> =>
  execute('bash', ['-c', line], { cwd: dir, env, maxBuffer: 1e8 }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, said: stdout + stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, out: stdout, said: stdout + stderr }),
  );
