import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { line, type Line } from './proof.ts';

/** The file that hostile texts of the proofs try to write. */
const stolen = '/tmp/stolen.csv';

/** Removes what an earlier run, or a control, left. */
export const forgetStolen = (): Promise<void> => rm(stolen, { force: true });

export const stolenLine = (by: string): Line =>
  line(`files written by ${by}`, existsSync(stolen) ? stolen : 'none', 'none', !existsSync(stolen));

export const isStolen = (): boolean => existsSync(stolen);
