import type { TopicModel } from './topics.ts';
import { commonWords } from './common-words.ts';

/** What a topic is called: unique among all of a map, and the words that it has more of than the rest. */
export type TopicName = { topic: number; short: string; description: string };

const word = /[\p{L}\p{M}][\p{L}\p{M}\p{N}'’-]*/gu;

/** The words of a text that can name something. */
const wordsOf = (text: string): Set<string> =>
  new Set(
    [...text.normalize('NFKC').toLowerCase().matchAll(word)]
      .map(([each]) => each.replaceAll(/['’-]+$|['’]s$/g, ''))
      .filter((each) => (each.length > 2 || /^\p{Script=Han}{2}/u.test(each)) && !commonWords.has(each)),
  );

type Counted = { texts: number; words: Map<string, number> };

const add = (counted: Counted, words: ReadonlySet<string>): void => {
  counted.texts += 1;
  for (const each of words) counted.words.set(each, (counted.words.get(each) ?? 0) + 1);
};

/** Words said of a topic at most. */
const mostWords = 8;

/**
 * The words that distinguish the texts of a topic from all texts, the strongest first: each counts by the share of the topic's texts that have
 * it, times the logarithm of how much larger that is than its share of all. What stands in every text counts nothing.
 */
export const distinctiveWords = (within: Counted, all: Counted): string[] => {
  const least = within.texts < 8 ? 1 : 2;
  const weighed = [...within.words].flatMap(([each, texts]) => {
    const share = texts / within.texts;
    const ratio = share / (all.words.get(each)! / all.texts);
    return texts >= least && ratio > 1.2 ? [{ each, weight: share * Math.log(ratio) }] : [];
  });
  weighed.sort((a, b) => b.weight - a.weight || (a.each < b.each ? -1 : 1));
  const chosen: string[] = [];
  // Forms of one word say the same.
  const isForm = (a: string, b: string): boolean => a.slice(0, 4) === b.slice(0, 4) && (a.startsWith(b) || b.startsWith(a));
  for (const { each } of weighed) {
    if (chosen.length === mostWords) break;
    if (!chosen.some((other) => isForm(each, other))) chosen.push(each);
  }
  return chosen;
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Share of the words of two lists that both have. */
const jaccard = (a: readonly string[], b: readonly string[]): number => {
  const both = a.filter((each) => b.includes(each)).length;
  return both === 0 ? 0 : both / (a.length + b.length - both);
};

/** The shortest name of its words that no topic has yet; by number where its words are all taken, or it has none. */
const nameOf = (words: readonly string[], topic: number, taken: ReadonlySet<string>): string => {
  for (let count = Math.min(2, words.length); count > 0 && count <= words.length; count += 1) {
    const name = words.slice(0, count).map(capital).join(', ');
    if (!taken.has(name)) return name;
  }
  return words.length > 0 ? `${capital(words[0]!)} (${topic})` : `Group ${topic}`;
};

/**
 * Names the topics of a model by texts whose finest topic is known (`leaves`); coarser ones first, so that they get the plainer names.
 * `likeness`: of two topics of a depth whose words are as like as that (Jaccard) the later one keeps those of its own.
 */
export const nameTopics = (texts: readonly string[], leaves: Uint16Array, depths: TopicModel['depths'], likeness = 1): TopicName[] => {
  const all: Counted = { texts: 0, words: new Map() };
  const ofLeaf = depths.at(-1)!.map((): Counted => ({ texts: 0, words: new Map() }));
  for (const [at, text] of texts.entries()) {
    const words = wordsOf(text);
    add(all, words);
    add(ofLeaf[leaves[at]!]!, words);
  }
  const taken = new Set<string>();
  return depths.flatMap((topics) => {
    const said: string[][] = [];
    return [...new Set(topics)]
      .toSorted((a, b) => a - b)
      .map((topic) => {
        const within: Counted = { texts: 0, words: new Map() };
        for (const [leaf, each] of topics.entries()) {
          if (each !== topic) continue;
          within.texts += ofLeaf[leaf]!.texts;
          for (const [name, count] of ofLeaf[leaf]!.words) within.words.set(name, (within.words.get(name) ?? 0) + count);
        }
        const found = distinctiveWords(within, all);
        const twin = likeness < 1 ? said.find((other) => jaccard(found, other) >= likeness) : undefined;
        const words = twin ? found.filter((each) => !twin.includes(each)) : found;
        said.push(found);
        const short = nameOf(words, topic, taken);
        taken.add(short);
        return { topic, short, description: words.length > 0 ? words.join(', ') : 'no words of its own' };
      });
  });
};
