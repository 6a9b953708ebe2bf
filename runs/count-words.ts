import type { StepView } from '../workflows/messages.ts';
import { bytes, number } from '../text/units.ts';

/** What needs no look comes last, where a line has room for the first words only. */
const quiet: readonly string[] = ['present', 'bytes'];

/** Counts that are none of items. */
const noItems: readonly string[] = ['bytes', 'rows'];

/** Non-zero counts of a step: `3,199 added · 2 rejected`. `done` only says how far it is. */
export const countWords = (counts: StepView['counts']): string[] =>
  Object.entries(counts ?? {})
    .toSorted(([a], [b]) => quiet.indexOf(a) - quiet.indexOf(b))
    .flatMap(([name, count]) =>
      name === 'done' || count === 0 ? [] : [name === 'bytes' ? `${bytes(count)} sent` : `${number(count)} ${name}`],
    );

/** Items that were done, of those that have ended: without any of another fate. */
export function doneIn({ done = 0, ...others }: NonNullable<StepView['counts']>): number {
  const otherwise = Object.entries(others).reduce((sum, [name, count]) => (noItems.includes(name) ? sum : sum + count), 0);
  return Math.max(0, done - otherwise);
}
