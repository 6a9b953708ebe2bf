import type { Json } from '../../text/json.ts';
import { overOf } from '../loop-over.ts';
import type { PlanStep } from '../plan.ts';
import type { Act, PlannedCalls, StepForecast } from '../step.ts';

/** How often a step is carried out at least and at most: once, or once in each turn of the loops around it, where nothing is skipped. */
export type Turns = { min: number; max: number } | { min: number; max: null; because: string };

export const once: Turns = { min: 1, max: 1 };

/** The turns of a loop, which itself is carried out so often. `rows`: of the table that it goes over. */
export function turnsOf({ id, with: input }: PlanStep, around: Turns, rows?: number): Turns {
  if (around.max === null) return { ...around, min: 0 };
  const count = rows ?? countOf(input);
  if (count !== undefined) return { min: around.min * count, max: around.max * count };
  return { min: 0, max: null, because: `the items of ${id} are known only in the run` };
}

/** Items of a loop, where they are known before the run: values in them need not be. */
export function countOf(input: Json): number | undefined {
  if (Object.values(input as object).some((over) => typeof over === 'string')) return undefined;
  try {
    return overOf(input).count;
  } catch {
    return undefined;
  }
}

/** What a step does that is carried out so often. */
export function times({ calls, acts, seconds, cost, ...rest }: StepForecast, turns: Turns): StepForecast {
  if (turns.min === 1 && turns.max === 1)
    return { calls, ...(acts && { acts }), ...(cost && { cost }), ...(seconds !== undefined && { seconds }), ...rest };
  return {
    ...rest,
    calls: calls.map((each): PlannedCalls => {
      const { operation, min, max } = each;
      if (turns.max === null) return { operation, min: 0, max: null, because: turns.because };
      const because = each.because === undefined ? {} : { because: each.because };
      return max === null
        ? { operation, min: min * turns.min, max, because: each.because }
        : { operation, min: min * turns.min, max: max * turns.max, ...because };
    }),
    ...(acts && { acts: acts.map((act): Act => actTimes(act, turns)) }),
    ...(cost && {
      cost: {
        ...cost,
        min: cost.min * turns.min,
        max: cost.max === null || turns.max === null ? null : cost.max * turns.max,
      },
    }),
    ...(seconds !== undefined && turns.max !== null ? { seconds: seconds * turns.max } : {}),
  };
}

function actTimes(act: Act, turns: Turns): Act {
  if (turns.max === null) return { ...act, most: null, because: turns.because };
  if (turns.max === 1) return act;
  return { ...act, most: act.most === null ? null : act.most * turns.max, says: `${act.says}, in each of ${turns.max} turns` };
}
