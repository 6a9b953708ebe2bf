/** Words that say nothing of what a text is about. */
const empty = new Set(
  'a an and are as at be been but by can could did do does for from had has have he her his i if in into is it its may more most no not of on one or our she should so some such than that the their them then there these they this those to was we were what when which who will with would you your'.split(
    ' ',
  ),
);

const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length > 2 && !empty.has(word));

const mostSentences = 50_000;

/** Sentences of a text; a line break between paragraphs ends one too. */
export const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.!?])\s+(?=[\p{Lu}\p{N}"'(])|\n\s*\n|\n(?=[-*#] )/u)
    .map((sentence) => sentence.replaceAll(/\s+/g, ' ').trim())
    .filter((sentence) => wordsOf(sentence).length > 0)
    .slice(0, mostSentences);

/** How much of a text is chosen: so many sentences, or sentences of so many words together, at least one. */
export type SummarySize = { sentences: number } | { words: number };

/** `context`: a text around it, by whose words the sentences are ranked too. */
type Around = { context?: string };

const lengthOf = (sentence: string): number => sentence.split(' ').length;

/**
 * The sentences that say the most, in their order: ranked by how often their words stand in the whole text, less for what an earlier
 * choice has said already.
 */
export const summarize = (text: string, size: SummarySize, { context = '' }: Around = {}): string[] => {
  const sentences = sentencesOf(text).map((sentence, place) => ({ sentence, place, words: new Set(wordsOf(sentence)) }));
  const frequency = new Map<string, number>();
  const count = (words: Iterable<string>): void => {
    for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  };
  for (const { words } of sentences) count(words);
  for (const sentence of sentencesOf(context)) count(new Set(wordsOf(sentence)));
  const chosen: typeof sentences = [];
  const said = new Set<string>();
  let length = 0;
  const fits = ({ sentence }: (typeof sentences)[number]): boolean =>
    'sentences' in size ? chosen.length < size.sentences : chosen.length === 0 || length + lengthOf(sentence) <= size.words;
  for (;;) {
    const scored = sentences
      .filter((each) => !chosen.includes(each) && fits(each))
      .map((each) => {
        const weight = [...each.words].reduce((sum, word) => sum + (said.has(word) ? 0.2 : 1) * (frequency.get(word) ?? 0), 0);
        return { each, score: weight / Math.sqrt(each.words.size + 3) + (each.place === 0 ? 0.5 : 0) };
      });
    if (scored.length === 0) break;
    const { each } = scored.reduce((one, other) => (other.score > one.score ? other : one));
    chosen.push(each);
    length += lengthOf(each.sentence);
    for (const word of each.words) said.add(word);
  }
  return chosen.toSorted((one, other) => one.place - other.place).map(({ sentence }) => sentence);
};
