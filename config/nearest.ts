/** Edits between two words: insertions, deletions, replacements. */
const distance = (a: string, b: string): number => {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) row.push(Math.min(row[j - 1]! + 1, above[j]! + 1, above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    above = row;
  }
  return above[b.length]!;
};

/** `; did you mean 'x'?` for the known word at most a third of whose letters differ, else nothing. */
export const didYouMean = (word: string, known: Iterable<string>): string => {
  const near = [...known]
    .map((name) => ({ name, edits: distance(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.max(1, Math.ceil(name.length / 3)))
    .sort((a, b) => a.edits - b.edits)[0];
  return near === undefined ? '' : `; did you mean '${near.name}'?`;
};
