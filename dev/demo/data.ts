import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readConcreteNouns } from './wordnet.ts';
import type { Kind, Synset } from './wordnet.ts';

/** `text` is what is embedded: a sentence, because the encoder reads sentences (a list of synonyms before it found less). */
export type DemoRecord = { id: string; word: string; synonyms: string | null; kind: Kind; gloss: string; uses: number; text: string };

/** Records by kind: things to look at and to eat are nicer to search than the many words for people. */
const SHARES: Record<Kind, number> = {
  artifact: 1_300,
  animal: 400,
  person: 400,
  food: 300,
  plant: 160,
  substance: 160,
  body: 160,
  object: 120,
};

/** Meanings that a demonstration does not need, by what their definitions say. */
const UNFIT =
  /offensive|obscen|vulgar|disparag|derogat|\bslurs?\b|slang|\bsex|genital|copulat|prostitut|erotic|excre|\bfec(?:es|al)\b|\burin|\bsemen\b|homosexual|\bslaves?\b|\bNegro|racis|rapist|murder|suicide|terroris|torture|execution|informal terms?|terms? of address/i;

/** How often each word stands in a text, its plural counted with it. */
const countWords = (text: string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[a-z]+/g)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
    if (/[^siu]s$/.test(word)) counts.set(word.slice(0, -1), (counts.get(word.slice(0, -1)) ?? 0) + 1);
  }
  return counts;
};

type Known = { synset: Synset; word: string; known: number };

/**
 * The best known word of a meaning, and how well known that is. Tagged texts are few (helicopter and penguin were never
 * met), so that a word which WordNet's own glosses use counts too. A word's other meanings count less: "side" as a dish
 * surprises more than it helps.
 */
const rate = (synset: Synset, counts: Map<string, number>): Known => {
  const used = ({ word, sense }: Synset['words'][number]): number => (counts.get(word) ?? 0) / sense ** 2;
  const { word, sense, senses } = synset.words.reduce((best, entry) => (used(entry) > used(best) * 8 + 8 ? entry : best));
  const known = 2 * Math.log2(1 + synset.uses) + 1.5 * Math.log2(1 + used({ word, sense, senses }));
  return { synset, word, known: known * (sense === 1 ? 1 : 0.8) + 0.5 * Math.log2(1 + synset.links) + (senses === 1 ? 2 : 0) };
};

const isFit = ({ words, definition, instance }: Synset): boolean =>
  !instance &&
  words.every(({ word }) => !/^[A-Z]{2}/.test(word)) &&
  definition.length >= 12 &&
  definition.length <= 220 &&
  !UNFIT.test(`${definition} ${words.map(({ word }) => word).join(' ')}`);

const toRecord = ({ synset: { id, words, kind, definition, uses }, word }: Known): DemoRecord => {
  const synonyms = words.map((entry) => entry.word).filter((other) => other !== word);
  return {
    id,
    word,
    synonyms: synonyms.length === 0 ? null : synonyms.join(', '),
    kind,
    gloss: definition,
    uses,
    text: `${word} is ${definition}`,
  };
};

/** 3,000 concrete nouns with their definitions, best known first; the same on every machine. */
export const demoRecords = async (): Promise<DemoRecord[]> => {
  const { synsets, texts } = await readConcreteNouns();
  const counts = countWords(texts);
  const left = { ...SHARES };
  return synsets
    .filter(isFit)
    .map((synset) => rate(synset, counts))
    .filter(({ word }) => /^[a-z]/.test(word))
    .toSorted((a, b) => b.known - a.known)
    .filter(({ synset: { kind } }) => left[kind]-- > 0)
    .map(toRecord);
};

/** Writes the demo's records as a JSON array, one record a line; the file is there whole or not at all. */
export const writeDemoRecords = async (to: string): Promise<{ records: number }> => {
  const records = await demoRecords();
  await mkdir(dirname(to), { recursive: true });
  const part = `${to}.${process.pid}.part`;
  await writeFile(part, `[\n${records.map((record) => JSON.stringify(record)).join(',\n')}\n]\n`);
  await rename(part, to);
  return { records: records.length };
};
