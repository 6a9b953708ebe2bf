import type { SeenRun } from './see-run.ts';

/**
 * Before every effect the server has confirmed, less than so many milliseconds ago, that the attempt is still its worker's
 * (`activities/frame/fence.ts`). It gives an attempt away 3 s after its last heartbeat: so long before, a request still leaves in time.
 */
export const freshMs = 2_000;

/**
 * So many milliseconds after the end of a run that was terminated the next run of its key begins: an attempt that was confirmed right
 * before sends for `freshMs`, and what was sent last has as long to arrive.
 */
export const lastEffectMs = freshMs + 2_000;

/** Milliseconds until nothing is sent any more of a run whose end was seen: one that ended by itself has ended its calls before. */
export const silentInMs = ({ closed, byItself }: SeenRun, now: number): number =>
  byItself ? 0 : Math.max(0, (closed === undefined ? now : Date.parse(closed)) + lastEffectMs - now);
