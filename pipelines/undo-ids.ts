import { childRunId } from './run-start.ts';

const prefix = 'undo_';

/** The id of what takes a step back. */
export const undoId = (step: string): string => prefix + step;

/** Id of a run that takes another one back: `ingest-2026-11-21-a7f3c09b.undo`, with its number behind it from the second one on. */
export const undoRunId = (run: string, turn: number): string => childRunId(run, 'undo', turn);

type Ended = { id: string; status: string; skipped?: { because: string } };

/** Steps that a run has taken back, by its own steps. What its `when` leaves out is nothing to take back. */
export const takenBack = (steps: readonly Ended[]): string[] =>
  undone(steps, ({ status, skipped }) => status === 'done' || status === 'tolerated' || skipped?.because === 'when');

/** The same, with those that it was about to take back when its workflow was terminated. */
export const perhapsTakenBack = (steps: readonly Ended[]): string[] => [
  ...takenBack(steps),
  ...undone(steps, ({ status }) => status === 'running'),
];

const undone = (steps: readonly Ended[], is: (step: Ended) => boolean): string[] =>
  steps.flatMap((step) => (step.id.startsWith(prefix) && !/[[.]/.test(step.id) && is(step) ? [step.id.slice(prefix.length)] : []));
