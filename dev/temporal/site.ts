import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { spawnOwn } from '../processes.ts';

/** Message of the process that fetches. */
export type Fetched = { ok: true } | { ok: false; message: string };

export type SiteOptions = { withinMs?: number; env?: NodeJS.ProcessEnv };

/**
 * Has `@temporalio/testing` download the server from Temporal's own site and moves it to `to`; given up after 5 s.
 * It runs in a process of its own, because the download cannot be cancelled inside one.
 */
export const fromTemporalSite = async (to: string, { withinMs = 5_000, env }: SiteOptions = {}): Promise<string> => {
  mkdirSync(dirname(to), { recursive: true });
  const folder = mkdtempSync(join(dirname(dirname(to)), 'download-'));
  const log = join(folder, 'log');
  const fetch = spawnOwn<Fetched>({ entry: 'dev/temporal/site-main', args: [folder], log, ...(env && { env }) });
  const timer = setTimeout(() => void fetch.kill(), withinMs);
  let inTime = true;
  try {
    const fetched = await fetch.ready.catch((error: unknown) => {
      inTime = false;
      throw error;
    });
    if (!fetched.ok) throw new Error(fetched.message);
    await fetch.exited;
    const file = readdirSync(folder).find((name) => name.startsWith('temporal') && !name.endsWith('.downloading'));
    if (file === undefined) throw new Error('the download left no file');
    renameSync(join(folder, file), to);
    return to;
  } catch (error) {
    const { signal } = await fetch.kill();
    throw !inTime && signal === 'SIGKILL' ? new Error(`given up after ${withinMs / 1000} s`) : error;
  } finally {
    clearTimeout(timer);
    rmSync(folder, { recursive: true, force: true });
  }
};
