import type { Scope } from '../../pipelines/expressions/evaluate.ts';
import { reacting } from '../../pipelines/ends.ts';
import type { LoopBody, PlanStep } from '../../pipelines/plan.ts';
import type { Kind, Step } from '../../pipelines/step.ts';
import { keptValue } from '../../store/kept-values.ts';
import type { Activity } from '../frame/activity.ts';

/** The code of a step, by its name. */
export type CodeIn = (use: string) => (() => Promise<{ default: Activity<any, any, Kind> }>) | undefined;

/** A step of a row, with what it is and how it is done. */
export type RowStep = { planned: PlanStep; definition: Step; code: Activity<any, any, 'call'> };

/** All that is done for each row of a chunk. */
export type RowCode = {
  as: string;
  outputs: LoopBody['outputs'];
  atOnce: number;
  steps: readonly RowStep[];
  /** Steps that begin although the row has failed. */
  reacts: ReadonlySet<string>;
  /** What expressions see beside the row. */
  scope: Scope;
};

/** Loads what is done for each row; values that stand in the run store are read. Fails where this worker has not the code of a step. */
export async function rowCode(body: LoopBody, steps: Readonly<Record<string, Step>>, codeIn: CodeIn): Promise<RowCode> {
  const outer = await Promise.all(Object.entries(body.scope.steps).map(async ([id, output]) => [id, await keptValue(output)] as const));
  return {
    as: body.as,
    outputs: body.outputs,
    atOnce: body.atOnce ?? 1,
    steps: await Promise.all(body.steps.map((planned) => rowStep(planned, steps, codeIn))),
    reacts: reacting(body.steps),
    scope: { ...body.scope, steps: Object.fromEntries(outer) },
  };
}

async function rowStep(planned: PlanStep, steps: Readonly<Record<string, Step>>, codeIn: CodeIn): Promise<RowStep> {
  const load = codeIn(planned.use);
  if (!load || planned.kind !== 'call') throw new Error(`this worker has no code that does ${planned.use} for a row`);
  const { default: code } = await load();
  return { planned, definition: steps[planned.use]!, code: code as Activity<any, any, 'call'> };
}
