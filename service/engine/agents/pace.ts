import { createHash } from 'node:crypto';

/** How long turns take, in seconds of the clock that can be moved: each somewhere between the two. */
export type Pace = { from: number; to: number };

export const usualPace: Pace = { from: 0.2, to: 1 };

/** Seconds of a turn of an agent: drawn by its id, so that it is the same after a restart. */
export const turnSeconds = ({ from, to }: Pace, agentId: string, turn: number): number => {
  const drawn = createHash('sha256').update(`${agentId} ${turn}`).digest().readUInt32BE() / 2 ** 32;
  return from + (to - from) * drawn;
};
