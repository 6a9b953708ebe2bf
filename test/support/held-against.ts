import type { PlannedCalls } from '../../pipelines/step.ts';

/** A plan, as far as it counts calls. */
export type Counted = { steps: readonly { calls: readonly PlannedCalls[] }[] };

/** Requests of one run by operation, held against its plan. */
export type Held = { operation: string; sent: number; min: number; max: number | null; because: string | undefined };

/** The plan of a run by operation: sums over its steps. */
export function plannedOf({ steps }: Counted): Map<string, Pick<Held, 'min' | 'max' | 'because'>> {
  const sums = new Map<string, Pick<Held, 'min' | 'max' | 'because'>>();
  for (const { operation, min, max, because } of steps.flatMap((step) => step.calls)) {
    const sum = sums.get(operation) ?? { min: 0, max: 0, because: undefined };
    sums.set(operation, {
      min: sum.min + min,
      max: sum.max === null || max === null ? null : sum.max + max,
      because: max === null ? because : sum.because,
    });
  }
  return sums;
}

/** Each operation that was planned or sent. */
export function heldAgainst(plan: Counted, sent: readonly string[]): Held[] {
  const planned = plannedOf(plan);
  const counts = new Map<string, number>();
  for (const operation of sent) counts.set(operation, (counts.get(operation) ?? 0) + 1);
  return [...new Set([...planned.keys(), ...counts.keys()])].map((operation) => ({
    operation,
    sent: counts.get(operation) ?? 0,
    ...(planned.get(operation) ?? { min: 0, max: 0, because: undefined }),
  }));
}

/** Operations of which other numbers were sent than were planned. */
export const outsideOf = (plan: Counted, sent: readonly string[]): Held[] =>
  heldAgainst(plan, sent).filter(({ sent: count, min, max }) => count < min || count > (max ?? Infinity));
