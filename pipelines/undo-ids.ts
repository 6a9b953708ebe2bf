import { childRunId } from './run-start.ts';

const prefix = 'undo_';

/** The id of what takes a step back. */
export const undoId = (step: string): string => prefix + step;

/** Id of a run that takes another one back: `ingest-2026-11-21-a7f3c09b.undo`, with its number behind it from the second one on. */
export const undoRunId = (run: string, turn: number): string => childRunId(run, 'undo', turn);

type Ended = { id: string; status: string; skipped?: { because: string } };

/** Steps that a run has taken back, by its own steps. What its `when` leaves out is nothing to take back. */
export const takenBack = (steps: readonly Ended[]): string[] =>
  steps.flatMap(({ id, status, skipped }) =>
    id.startsWith(prefix) && !/[[.]/.test(id) && (status === 'done' || status === 'tolerated' || skipped?.because === 'when')
      ? [id.slice(prefix.length)]
      : [],
  );
