import type { RunLine } from './list.ts';

/** How far a run is taken back, in a few words. */
export const undoWords = ({ run, state }: NonNullable<RunLine['undone']>): string =>
  state === 'done' ? `undone by ${run}` : state === 'running' ? `being undone by ${run}` : `undo ${state}: ${run}`;
