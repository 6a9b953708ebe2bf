/** Words that say nothing of what a text is about. */
const empty = new Set(
  'a an and are as at be been but by can could did do does for from had has have he her his i if in into is it its may more most no not of on one or our she should so some such than that the their them then there these they this those to was we were what when which who will with would you your'.split(
    ' ',
  ),
);

const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length > 2 && !empty.has(word));

const mostSentences = 2_000;

/** Sentences of a text; a line break between paragraphs ends one too. */
export const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.!?])\s+(?=[\p{Lu}\p{N}"'(])|\n\s*\n|\n(?=[-*#] )/u)
    .map((sentence) => sentence.replaceAll(/\s+/g, ' ').trim())
    .filter((sentence) => wordsOf(sentence).length > 0)
    .slice(0, mostSentences);

/**
 * The sentences that say the most, in their order: ranked by how often their words stand in the whole text, less for what an earlier
 * choice has said already.
 */
export const summarize = (text: string, count: number): string[] => {
  const sentences = sentencesOf(text).map((sentence, place) => ({ sentence, place, words: new Set(wordsOf(sentence)) }));
  const frequency = new Map<string, number>();
  for (const { words } of sentences) for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const chosen: typeof sentences = [];
  const said = new Set<string>();
  while (chosen.length < count && chosen.length < sentences.length) {
    const best = sentences
      .filter((each) => !chosen.includes(each))
      .map((each) => {
        const weight = [...each.words].reduce((sum, word) => sum + (said.has(word) ? 0.2 : 1) * (frequency.get(word) ?? 0), 0);
        return { each, score: weight / Math.sqrt(each.words.size + 3) + (each.place === 0 ? 0.5 : 0) };
      })
      .reduce((one, other) => (other.score > one.score ? other : one));
    chosen.push(best.each);
    for (const word of best.each.words) said.add(word);
  }
  return chosen.toSorted((one, other) => one.place - other.place).map(({ sentence }) => sentence);
};
