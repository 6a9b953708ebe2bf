/** A piece of time, in milliseconds since the epoch. */
export type Span = { from: number; to: number };

/** Overlapping and touching spans as one, in order. */
export function union(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else if (to > from) merged.push({ from, to });
  }
  return merged;
}

/** Milliseconds that the spans cover together. */
export const covered = (spans: readonly Span[]): number => union(spans).reduce((sum, { from, to }) => sum + to - from, 0);

/** The part of each span that lies within another; those without one are left out. */
export const within = (spans: readonly Span[], { from, to }: Span): Span[] =>
  spans.flatMap((span) => (span.to <= from || span.from >= to ? [] : [{ from: Math.max(from, span.from), to: Math.min(to, span.to) }]));

/** Spans widened to the cells of a grid over `whole`, so that there are never more of them than cells. */
export function onGrid(spans: readonly Span[], whole: Span, cells: number): Span[] {
  const size = Math.max(1, whole.to - whole.from) / cells;
  return union(
    within(spans, whole).map(({ from, to }) => ({
      from: whole.from + Math.floor((from - whole.from) / size) * size,
      to: whole.from + Math.ceil((to - whole.from) / size) * size,
    })),
  );
}
