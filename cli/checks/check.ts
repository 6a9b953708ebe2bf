import type { Config } from '../../config/load.ts';

/** What a check found; `remedy` where it is not fine. */
export type Found = { ok: boolean; detail: string; remedy?: string };

/** `report` is called with a line while a check takes long. */
export type CheckContext = { cwd: string; config: Config | undefined; report?: (line: string) => void };

/** One thing that Portolan needs. `config` is absent where it could not be loaded: the check is then left out. */
export type Check = { name: string; needs?: 'config'; run(context: CheckContext): Promise<Found[]> };

export const good = (detail: string): Found[] => [{ ok: true, detail }];

export const bad = (detail: string, remedy: string): Found[] => [{ ok: false, detail, remedy }];

/** A failure of ours as a finding: its own remedy, or the one given. */
export const failed = (error: unknown, remedy: string): Found[] => {
  const { message, remedy: own } = error as { message?: string; remedy?: unknown };
  return bad(message ?? String(error), typeof own === 'string' ? own : remedy);
};
