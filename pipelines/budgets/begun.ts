import type { LedgerRun } from './ledger-parts.ts';

export type Costed = LedgerRun & { cents: number };

/** What of the runs of a project was paid before its budget began: whole runs, and parts of those that were under way then. */
export type Begun = { whole: Costed[]; parts: Costed[] };

/** Moments that are gone into: of those that fit equally well no more are needed. */
const mostMoments = 100;

/** Before all runs, and behind all of them, where no time is known. */
const from = ({ createdAt }: LedgerRun): string => createdAt ?? '';
const to = ({ updatedAt }: LedgerRun): string => updatedAt ?? '~';

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * The moments at which the budget of a project may have begun, by what it has not paid: runs that had ended were paid by another one, and
 * of those under way at most all. No field of a budget says when it began. Moments at which fewest runs were under way come first.
 */
export function momentsOf(runs: readonly Costed[], missingCents: number): Begun[] {
  const begin = runs.toSorted((a, b) => byText(from(a), from(b)));
  const end = runs.toSorted((a, b) => byText(to(a), to(b)));
  const moments = [...new Set(['', ...runs.flatMap((run) => [from(run), to(run)])])].sort(byText);
  const found: { at: string; ended: number; parts: number }[] = [];
  let [begun, begunCents, ended, endedCents] = [0, 0, 0, 0];
  for (const at of moments) {
    for (; begun < begin.length && from(begin[begun]!) <= at; begun++) begunCents += begin[begun]!.cents;
    for (; ended < end.length && to(end[ended]!) < at; ended++) endedCents += end[ended]!.cents;
    const parts = begun - ended;
    // Each part is rounded by itself.
    if (missingCents >= endedCents - parts && missingCents <= begunCents + parts) found.push({ at, ended, parts });
  }
  return found
    .sort((a, b) => a.parts - b.parts)
    .slice(0, mostMoments)
    .map(({ at, ended: count }) => ({ whole: end.slice(0, count), parts: begin.filter((run) => from(run) <= at && to(run) >= at) }));
}
