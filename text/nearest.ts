/** Edits (insert, delete, replace, swap of neighbours) from one word to another. */
export function distance(from: string, to: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1] ? 0 : 1;
      let best = Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + same);
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1])
        best = Math.min(best, before[column - 2]! + 1);
      current.push(best);
    }
    before = previous;
    previous = current;
  }
  return previous[to.length]!;
}

/** The known name that a misspelt one most likely means, or undefined where none is close. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const word = name.slice(0, 64).toLowerCase();
  let best: { name: string; edits: number } | undefined;
  for (const candidate of known) {
    const edits = distance(word, candidate.toLowerCase());
    if (edits <= Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3)) && (best === undefined || edits < best.edits))
      best = { name: candidate, edits };
  }
  return best?.name;
}

/** `; did you mean 'x'?` where a known name is close, else nothing. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const near = nearest(name, [...known]);
  return near === undefined ? '' : `; did you mean '${near}'?`;
}

/** `; did you mean 'x'?`, or what there is, or nothing. */
export function suggestion(name: string, known: readonly string[]): string {
  const near = didYouMean(name, known);
  if (near !== '') return near;
  return known.length === 0
    ? ''
    : `; there ${known.length === 1 ? 'is' : 'are'} ${known.slice(0, 20).join(', ')}${known.length > 20 ? ' …' : ''}`;
}
