import type { AnalysedStep } from './analysed-step.ts';

type Analysed = { step?: AnalysedStep; refers: readonly string[] };

/**
 * A step follows what it refers to; where that stands outside of its loop, the loop does: its turns begin when all that stands around
 * them has ended.
 */
export function liftNeeds(analysed: readonly Analysed[]): void {
  const steps = new Map(analysed.flatMap(({ step }) => (step ? [[step.id, step] as const] : [])));
  const lifted = analysed.flatMap(({ step, refers }) =>
    refers.flatMap((id) => {
      const reader = step && !readsFailure(step, id, steps) ? readerOf(step, id, steps) : undefined;
      return reader ? [{ reader, id }] : [];
    }),
  );
  for (const [reader, of] of Map.groupBy(lifted, (each) => each.reader))
    reader.needs = [...new Set([...of.map(({ id }) => id), ...reader.needs])];
}

/** True of a step that is done about a failure of that one, itself or in a loop: it reads why. */
export function readsFailure(step: AnalysedStep, id: string, steps: ReadonlyMap<string, AnalysedStep>): boolean {
  for (let at: AnalysedStep | undefined = step; at; at = at.in === undefined ? undefined : steps.get(at.in))
    if (at.on !== undefined && at.in === id) return true;
  return false;
}

/** The step, or the loop around it, that stands beside another one. */
export function readerOf(step: AnalysedStep, id: string, steps: ReadonlyMap<string, AnalysedStep>): AnalysedStep | undefined {
  const block = steps.get(id)?.in;
  for (let at: AnalysedStep | undefined = step; at; at = at.in === undefined ? undefined : steps.get(at.in))
    if (at.in === block && steps.has(id)) return at;
  return undefined;
}

/** Two steps, or the loops around them, as they stand beside each other; the same loop twice where both stand in one turn of it. */
export function sideBySide(one: AnalysedStep, other: AnalysedStep, steps: ReadonlyMap<string, AnalysedStep>): (AnalysedStep | undefined)[] {
  for (let at: AnalysedStep | undefined = one; at; at = at.in === undefined ? undefined : steps.get(at.in)) {
    const beside = readerOf(other, at.id, steps);
    if (beside) return [at, beside];
  }
  return [];
}
