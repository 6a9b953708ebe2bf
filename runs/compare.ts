import { idInPlan } from '../pipelines/id-in-plan.ts';
import type { Forecast, PlannedAct } from '../pipelines/forecast/forecast.ts';
import type { PlanStep } from '../pipelines/plan.ts';
import type { PlannedCalls } from '../pipelines/step.ts';
import type { RunEvent } from '../store/run-store.ts';
import type { RunView, StepView } from '../workflows/messages.ts';

/** Requests of a step by operation, as its attempts have written them down; of a step in a loop those of all its turns. */
export type SentCalls = ReadonlyMap<string, ReadonlyMap<string, number>>;

export function sentCalls(events: readonly RunEvent[]): SentCalls {
  const sent = new Map<string, Map<string, number>>();
  for (const { step: path, calls = {} } of events) {
    const step = idInPlan(path);
    const of = sent.get(step) ?? new Map<string, number>();
    for (const [operation, count] of Object.entries(calls)) of.set(operation, (of.get(operation) ?? 0) + count);
    if (of.size > 0) sent.set(step, of);
  }
  return sent;
}

/** What was done against what was planned, in words; what is as planned needs none. */
export const verdicts = { within: '', more: 'more than planned', fewer: 'fewer than planned' } as const;

/** `fewer` only of a step that is done: any other may have sent less than it would have. */
export type ComparedCall = Pick<PlannedCalls, 'min' | 'max' | 'because'> & {
  operation: string;
  sent: number;
  is: keyof typeof verdicts;
};

/**
 * `runs`: what is done is done by runs of its own, each held against its own plan. `turns`: those of the loop around it, whose end is its
 * own here.
 */
export type ComparedStep = Pick<StepView, 'id' | 'use' | 'status' | 'reusedFrom'> & { calls: ComparedCall[]; runs?: true; turns?: Turns };

/** Turns of the loop `of`; `items`: in all, where that is known. */
export type Turns = { of: string; done: number; failed: number; items?: number };

/** An act that cannot be taken back, and how often it was done. */
export type ComparedAct = PlannedAct & { done: number; is: 'within' | 'more' };

/** What was planned of a run against what it has done. `outside`: of how many operations and acts another number than the plan allows. */
export type Compared = { run: string; state: RunView['state']; steps: ComparedStep[]; acts: ComparedAct[]; outside: number };

/** `plan`: the steps of the run's plan; of steps in loops, which a view has only while they are under way, it says where they stand. */
type Done = {
  view: RunView;
  sent: SentCalls;
  counts: readonly { step: string; status: string; count: number }[];
  plan?: readonly Pick<PlanStep, 'id' | 'kind' | 'in' | 'on'>[];
};

/** Holds a run against its plan, step by step and operation by operation. */
export function compare({ steps, irreversible }: Pick<Forecast, 'steps' | 'irreversible'>, done: Done): Compared {
  const { view, sent, plan = [] } = done;
  const views = new Map(view.steps.map((step) => [step.id, step]));
  const planned = new Map(plan.map((step) => [step.id, step]));
  const compared = steps.map(({ id, use, calls: all }): ComparedStep => {
    const step = views.get(id);
    const loop = step ? undefined : loopAround(planned, views, id);
    const runs = (step ?? planned.get(id))?.kind === 'pipeline';
    const calls = runs ? [] : all;
    const { status = 'waiting', reusedFrom } = step ?? loop ?? {};
    const of = sent.get(id) ?? new Map<string, number>();
    // A turn may take over what another run has done, and then sends less.
    const whole = status === 'done' && reusedFrom === undefined && !loop;
    const unplanned = [...of.keys()].filter((name) => !calls.some(({ operation }) => operation === name));
    const counted = [...calls, ...unplanned.map((operation) => ({ operation, min: 0, max: 0, because: undefined }))];
    return {
      id,
      use,
      status,
      ...(reusedFrom === undefined ? {} : { reusedFrom }),
      ...(runs ? { runs } : {}),
      ...(loop ? { turns: turnsIn(loop) } : {}),
      calls: counted.flatMap(({ operation, min, max, because }): ComparedCall[] => {
        const count = of.get(operation) ?? 0;
        if (max === 0 && count === 0) return [];
        const is = max !== null && count > max ? 'more' : whole && count < min ? 'fewer' : 'within';
        return [{ operation, min, max, ...(because === undefined ? {} : { because }), sent: count, is }];
      }),
    };
  });
  const acts = irreversible
    .filter(({ step }) => !step.includes('.'))
    .map((act): ComparedAct => {
      const count = timesDone(act, done);
      return { ...act, done: count, is: act.most !== null && count > act.most ? 'more' : 'within' };
    });
  const outside = [...compared.flatMap(({ calls }) => calls), ...acts].filter(({ is }) => is !== 'within').length;
  return { run: view.run, state: view.state, steps: compared, acts, outside };
}

type Planned = NonNullable<Done['plan']>[number];

/** The nearest loop around a step that the view of the run has; undefined of a step that stands in none. */
function loopAround(planned: ReadonlyMap<string, Planned>, views: ReadonlyMap<string, StepView>, id: string): StepView | undefined {
  const { in: around, on } = planned.get(id) ?? {};
  if (around === undefined || on !== undefined) return undefined;
  return views.get(around) ?? loopAround(planned, views, around);
}

function turnsIn({ id, loop, counts = {} }: StepView): Turns {
  const { items, done = counts['done'] ?? 0, failed = counts['failed'] ?? 0 } = loop ?? {};
  return { of: id, done, failed, ...(items === undefined ? {} : { items }) };
}

/** Fates of items that an act has reached; of own kinds every fate but `failed`. */
const fatesOf: Readonly<Record<string, string>> = { 'rows deleted': 'deleted', 'rows replaced': 'replaced' };

/** How often an act was done: by the requests of its operation, by the fates of items, of a single step once when it ended well, or once in each turn that did. */
function timesDone({ step: id, kind }: PlannedAct, { view, sent, counts, plan = [] }: Done): number {
  const calls = sent.get(id)?.get(kind);
  if (calls !== undefined) return calls;
  const views = new Map(view.steps.map((each) => [each.id, each]));
  const planned = new Map(plan.map((each) => [each.id, each]));
  const loop = views.has(id) ? undefined : loopAround(planned, views, id);
  const step = views.get(id) ?? loop;
  if (!step || step.reusedFrom !== undefined) return 0;
  if ((loop ? planned.get(id)! : step).kind !== 'sweep') {
    if (kind.includes('.')) return 0;
    return loop ? turnsIn(loop).done : step.status === 'done' ? 1 : 0;
  }
  const counted = (status: string): boolean => (fatesOf[kind] === undefined ? status !== 'failed' : status === fatesOf[kind]);
  return counts.reduce((sum, each) => (idInPlan(each.step) === id && counted(each.status) ? sum + each.count : sum), 0);
}
