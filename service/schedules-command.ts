import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { HttpError } from './core/errors.ts';

/** The command of the same version: `.ts` in a checkout, `.js` in the package. */
const command = fileURLToPath(new URL(`../cli/bin${extname(import.meta.url)}`, import.meta.url));

const withinMs = 60_000;

/**
 * The page that `portolan schedule report` writes for a project, written anew: schedules and runs are known to Temporal and to the run
 * store, and this process knows neither. Who asks while it is being written is given the same.
 */
export const createSchedulesCommand = (project: string): (() => Promise<string>) => {
  const write = async (): Promise<string> => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', command, 'schedule', 'report', '--json'],
      { cwd: project, timeout: withinMs },
    ).catch((error: Error & { stderr?: string }) => {
      throw new HttpError(502, error.stderr?.trim() || error.message);
    });
    const { path } = JSON.parse(stdout) as { path: string };
    return readFile(path, 'utf8');
  };
  let writing: Promise<string> | undefined;
  return () => (writing ??= write().finally(() => (writing = undefined)));
};
