import type { EffectClass } from '../../contracts/endpoint.ts';
import type { FaultAction } from '../support/control.ts';

/** Longer than the shortest wait of the client, so that a wait of so long is the service's word. */
const retryAfter = 2;

/**
 * What an answer, or none, says about the effect. Written down here from the text of the retry rules, apart from the
 * client's own table, so that each can show the other wrong.
 * - `refused`: there was none and there will be none: the run fails once.
 * - `wait`: there was none; not before the time given, and it is no failure.
 * - `unsure`: there may have been one.
 */
export type Says = 'refused' | 'wait' | 'unsure';

export type MatrixFault = { name: string; do: FaultAction; says: Says; status?: number };

const status = (code: number, says: Says): MatrixFault => ({ name: String(code), do: { status: code }, says, status: code });
const wait = (code: number): MatrixFault => ({ name: `${code}+RA`, do: { status: code, retryAfter }, says: 'wait', status: code });

export const matrixFaults: readonly MatrixFault[] = [
  ...[400, 401, 403, 404, 409].map((code) => status(code, 'refused')),
  ...[408, 425, 500].map((code) => status(code, 'unsure')),
  wait(429),
  wait(503),
  { name: 'reset before', do: { reset: 'before' }, says: 'unsure' },
  { name: 'reset after', do: { reset: 'after' }, says: 'unsure' },
];

/** What a cell of the matrix must show. Requests, effects and harmless repeats are of the disturbed operation alone. */
export type Expectation = {
  state: 'done' | 'failed';
  /** Type and status of the run's error. */
  error?: string;
  requests: number;
  effects: number;
  harmless: number;
  /** Entries of the run's ledger by kind. */
  waits: number;
  retries: number;
  /** The effect was looked up before anything was sent again. */
  lookedUp: boolean;
  /** Milliseconds between the disturbed answer and the next request at least. */
  gapMs: number;
};

/** What follows from the effect class of an operation and from the fault. `writes`: the operation has an effect to be journaled. */
export function expectation(effect: EffectClass, fault: MatrixFault, writes: boolean): Expectation {
  const effects = writes ? 1 : 0;
  const done = { state: 'done', harmless: 0, waits: 0, retries: 0, lookedUp: false, gapMs: 0 } as const;
  if (fault.says === 'refused') return { ...done, state: 'failed', error: `ApiError ${fault.status}`, requests: 1, effects: 0 };
  if (fault.says === 'wait') return { ...done, requests: 2, effects, waits: 1, gapMs: retryAfter * 1_000 };
  const happened = fault.name === 'reset after';
  if (effect === 'never') return { ...done, state: 'failed', error: 'Undecided', requests: 1, effects: happened ? effects : 0 };
  if (effect === 'reconcile') return { ...done, requests: happened ? 1 : 2, effects, lookedUp: true };
  return { ...done, requests: 2, effects, harmless: happened ? effects : 0, retries: 1 };
}
