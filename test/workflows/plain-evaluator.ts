import { acceptedOf } from '../../pipelines/ends.ts';
import type { EndStatus, PlanStep } from '../../pipelines/plan.ts';

/** How a step fares that is carried out, by its path: it fails so often by this error, then it is done. Decided by whoever asks. */
export type Fate = (path: string) => { failures: number; type: string };

export type Evaluated = { [path: string]: EndStatus | { done: number; failed: number } };

function endOf({ onError = {} }: PlanStep, { failures, type }: ReturnType<Fate>): EndStatus {
  const reaction = { NetworkError: onError.transient, BadInput: onError.input, ServiceFailed: onError.service }[type] ?? onError.else;
  if (failures <= (reaction?.retry?.times ?? 0)) return 'done';
  return reaction === undefined || reaction.does === 'fail' ? 'failed' : 'tolerated';
}

/**
 * What a program comes to, worked out step after step without a state, an order of events or a window. Only where every failure is
 * tolerated, by a step, by what is done about it, or by a loop: what else a failure keeps from happening depends on when it happens.
 */
export function evaluate(steps: readonly PlanStep[], fate: Fate, loop?: string, path = ''): Evaluated {
  const ends: { [id: string]: EndStatus } = {};
  const all: Evaluated = {};
  for (const step of steps.filter((each) => each.in === loop && each.on === undefined)) {
    const refused = step.needs.some((need) => !acceptedOf(step, need).includes(ends[need]!));
    const skipped = refused || step.when === false || step.when === '${{ params.n > 2 }}';
    ends[step.id] = skipped ? 'skipped' : step.kind === 'loop' ? 'done' : endOf(step, fate(path + step.id));
    if (path === '') all[step.id] = ends[step.id]!;
    if (step.kind !== 'loop' || skipped) continue;
    const turns = (step.with as { items: string[] }).items.map((_, index) =>
      evaluate(steps, fate, step.id, `${path}${step.id}[${index}].`),
    );
    const bad = turns.filter((turn) => turn[''] === 'failed').length;
    all[`${path}${step.id}`] = { done: turns.length - bad, failed: bad };
    for (const turn of turns)
      for (const [inner, end] of Object.entries(turn)) if (inner !== '' && typeof end === 'object') all[inner] = end;
  }
  all[''] = Object.values(ends).includes('failed') ? 'failed' : 'done';
  return all;
}
