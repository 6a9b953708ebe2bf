import type { PlanStep, TurnRow } from '../../pipelines/plan.ts';
import { bytesOf } from './bytes-of.ts';
import { keyOf, type Command, type LoopState, type StepState } from './state.ts';

/** Rows that are kept at a time, and their bytes: they go through the history once, and the server takes 2 MiB. */
const perBatch = 100;
const batchBytes = 500_000;

/** Each is measured once, though it is looked at with every event. */
const measured = new WeakMap<object, number>();

const sizeOf = (row: TurnRow): number => {
  const known = measured.get(row) ?? bytesOf(row);
  measured.set(row, known);
  return known;
};

/** Rows of the next batch, at least one: what comes behind them changes nothing of it once it is full. */
function batchOf(rows: readonly TurnRow[]): { rows: TurnRow[]; full: boolean } {
  let bytes = 0;
  const end = rows.findIndex((row, at) => at === perBatch || ((bytes += sizeOf(row)) > batchBytes && at > 0));
  if (end > 0) return { rows: rows.slice(0, end), full: true };
  return { rows: [...rows], full: rows.length === perBatch };
}

export const hasRows = ({ each }: PlanStep): boolean => Object.keys(each!.outputs).length > 0;

/** True of a loop that is through: every turn has ended. */
export const isOver = ({ error, loop }: StepState): boolean =>
  error === undefined && loop!.next === loop!.items && Object.keys(loop!.open).length === 0;

/** Keeps rows in the run store, and makes their table when there are no more. */
export function rowsWanted(path: string, planned: PlanStep, step: StepState): Command[] {
  if (!hasRows(planned) || step.error) return [];
  const { rows } = step.loop!;
  const over = isOver(step);
  if (over && rows.length === 0) return [{ do: 'gather', key: keyOf(path, 'gather'), step: path }];
  const batch = batchOf(rows);
  return batch.full || over ? [collecting(path, step.loop!, batch.rows)] : [];
}

export type Collect = Extract<Command, { do: 'collect' }>;

/** Keeps the next batch of rows, be it full or not. */
export const batchWanted = (path: string, { loop }: StepState): Collect | undefined =>
  loop?.rows.length ? collecting(path, loop, batchOf(loop.rows).rows) : undefined;

function collecting(path: string, { batches }: LoopState, rows: TurnRow[]): Collect {
  return { do: 'collect', key: keyOf(path, 'collect', batches), step: path, batch: batches, rows };
}

/** A batch stands in the run store. */
export function takeKept({ loop }: StepState): void {
  loop!.rows.splice(0, batchOf(loop!.rows).rows.length);
  loop!.batches += 1;
}
