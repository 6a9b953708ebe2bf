import type { PlanStep } from '../../pipelines/plan.ts';
import { keyOf, type Command, type StepState } from './state.ts';

/** Rows that are kept at a time: they go through the history once. */
const perBatch = 100;

export const hasRows = ({ each }: PlanStep): boolean => Object.keys(each!.outputs).length > 0;

/** True of a loop that is through: every turn has ended. */
export const isOver = ({ error, loop }: StepState): boolean =>
  error === undefined && loop!.next === loop!.items && Object.keys(loop!.open).length === 0;

/** Keeps rows in the run store, and makes their table when there are no more. */
export function rowsWanted(path: string, planned: PlanStep, step: StepState): Command[] {
  if (!hasRows(planned) || step.error) return [];
  const { rows, batches } = step.loop!;
  const over = isOver(step);
  if (over && rows.length === 0) return [{ do: 'gather', key: keyOf(path, 'gather'), step: path }];
  if (rows.length < (over ? 1 : perBatch)) return [];
  return [{ do: 'collect', key: keyOf(path, 'collect', batches), step: path, batch: batches, rows: rows.slice(0, perBatch) }];
}

/** A batch stands in the run store. */
export function takeKept({ loop }: StepState): void {
  loop!.rows.splice(0, perBatch);
  loop!.batches += 1;
}
