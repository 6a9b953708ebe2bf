import { nearest } from '../../text/nearest.ts';

/** The word that was probably meant: the only one that begins so, else the one with the fewest edits. */
export const nearestWord = (word: string, known: readonly string[]): string | undefined => {
  const begun = word.length > 1 ? known.filter((name) => name.startsWith(word)) : [];
  return begun.length === 1 ? begun[0] : nearest(word, known);
};
