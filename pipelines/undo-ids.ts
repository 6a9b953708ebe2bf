import type { FormerRun, TakenBack } from './former-run.ts';
import { childRunId } from './run-start.ts';

const prefix = 'undo_';

/** The id of what takes a step back. */
export const undoId = (step: string): string => prefix + step;

/** Id of a run that takes another one back: `ingest-2026-11-21-a7f3c09b.undo`, with its number behind it from the second one on. */
export const undoRunId = (run: string, turn: number): string => childRunId(run, 'undo', turn);

type Ended = { id: string; status: string; skipped?: { because: string } };

/** The name that the outermost step of a path has in an earlier run. */
export function outermost({ renamed }: Pick<TakenBack, 'renamed'>, path: string): string {
  const id = path.replace(/[[.].*$/s, '');
  return renamed && Object.hasOwn(renamed, id) ? renamed[id]! : id;
}

/** True of an earlier run by which a step goes, or the step in which it stands. */
export const isAsked = ({ only }: Pick<FormerRun, 'only'>, path: string): boolean =>
  only === undefined || only.steps.includes(outermost({}, path));

/** Earlier runs by what they stand on: those that continue each other, and those that took back what another run shares, by that run. */
export const chainsOf = <F extends FormerRun>(runs: readonly F[]): F[][] => [...Map.groupBy(runs, ({ only }) => only?.of).values()];

/** Earlier runs, newest first, of which a step, or the step in which it stands, was not taken back as a whole, nor what they had taken over. */
export function unlessUndone<F extends FormerRun>(runs: readonly F[], path: string): readonly F[] {
  const asked = runs.filter((former) => isAsked(former, path));
  const end = asked.findIndex((former) => former.undone?.includes(outermost(former, path)));
  return end < 0 ? asked : asked.slice(0, end);
}

/** True where a path is of a loop that was taken back by its rows. */
export const byRows = (former: TakenBack, path: string): boolean => former.rowsUndone?.includes(outermost(former, path)) ?? false;

/** Steps that a run has taken back, by its own steps. What its `when` leaves out is nothing to take back. */
export const takenBack = (steps: readonly Ended[]): string[] =>
  undone(steps, ({ status, skipped }) => status === 'done' || status === 'tolerated' || skipped?.because === 'when');

/** The same, with those that it was about to take back when its workflow was terminated. */
export const perhapsTakenBack = (steps: readonly Ended[]): string[] => [
  ...takenBack(steps),
  ...undone(steps, ({ status }) => status === 'running'),
];

/** Steps of which a run has taken back nobody knows how much: what takes them back began, and failed or was cancelled. */
export const halfTakenBack = (steps: readonly (Ended & { startedAt?: string })[]): string[] =>
  undone(steps, ({ status, startedAt }) => startedAt !== undefined && (status === 'failed' || status === 'cancelled'));

const undone = <E extends Ended>(steps: readonly E[], is: (step: E) => boolean): string[] =>
  steps.flatMap((step) => (step.id.startsWith(prefix) && !/[[.]/.test(step.id) && is(step) ? [step.id.slice(prefix.length)] : []));

type Part = { id: string; in?: string };

/** True where the steps that take a loop back read the rows that its turns gave: what a turn did that failed is not among them. */
export const goesOverRows = (undo: readonly Part[], loop: string): boolean =>
  new RegExp(`\\bsteps\\.\\??${loop}\\.\\??(?:rows|results)\\b`).test(JSON.stringify(partsOf(undoId(loop), undo)));

/** A step, and those that stand in it. */
const partsOf = (id: string, all: readonly Part[]): Part[] =>
  all.filter((step) => step.id === id).concat(...all.filter((step) => step.in === id).map((step) => partsOf(step.id, all)));
