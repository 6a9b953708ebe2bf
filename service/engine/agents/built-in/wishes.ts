import { kinds, type Kind } from './extract.ts';

/** What a prompt asks for, as far as the built-in worker understands it. */
export type Wishes = {
  /** The prompt asks for something that this worker knows. */
  understood: boolean;
  /** Sentences of a summary; 0: none is asked for. */
  summary: number;
  /** What is to be found in texts. */
  extract: Kind[];
  /** A table of what was found is to be kept. */
  tabulate: boolean;
  /** Of tables: how they are counted or summed. */
  measures: { does: 'count' | 'sum' | 'avg' | 'min' | 'max'; of?: string; by?: string }[];
  searchFiles?: string;
  searchCodes?: string;
  ask?: string;
  /** Drawings are to be reviewed: remarks by file and page. */
  review: boolean;
  /** A sub-agent for each file. */
  delegate: boolean;
};

/** Sentences of a summary where no number is named. */
export const usualSentences = 3;

const numberWords = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];

const inSentences = new RegExp(`\\bin (\\d{1,2}|a single|a|${numberWords.join('|')}) (?:short )?sentences?\\b`, 'i');

/** A number in digits or as a word; at least one. */
const countOf = (word: string): number => Math.max(1, /^\d/.test(word) ? Number(word) : numberWords.indexOf(word.toLowerCase()) + 1);

const measureWords: Readonly<Record<string, Wishes['measures'][number]['does']>> = {
  sum: 'sum',
  total: 'sum',
  average: 'avg',
  mean: 'avg',
  minimum: 'min',
  smallest: 'min',
  maximum: 'max',
  largest: 'max',
};

const name = `["'\`]?([\\p{L}_][\\p{L}\\p{N}_]*)["'\`]?`;
const by = new RegExp(`\\b(?:by|per|for each) ${name}`, 'iu');
const measure = new RegExp(`\\b(${Object.keys(measureWords).join('|')}) (?:of )?(?:the )?(?:column )?${name}`, 'giu');

/** Reads a prompt by its words. */
export const wishesOf = (prompt: string): Wishes => {
  const group = by.exec(prompt)?.[1];
  const grouped = group === undefined ? {} : { by: group };
  const measures: Wishes['measures'] = [...prompt.matchAll(measure)].map(([, word, of]) => ({
    does: measureWords[word!.toLowerCase()]!,
    of: of!,
    ...grouped,
  }));
  if (/\b(?:count|how many|number of)\b/i.test(prompt)) measures.unshift({ does: 'count', ...grouped });
  const extract = /\b(?:extract|find|list|pull out|collect|tabulate|count|how many)\b/i.test(prompt)
    ? (Object.keys(kinds) as Kind[]).filter((kind) => kinds[kind].words.test(prompt))
    : [];
  const sentences = inSentences.exec(prompt)?.[1];
  const asksSummary = /summar|\boverview\b|\bgist\b|\bdigest\b|\babstract\b/i.test(prompt);
  const searchFiles = /\bsearch (?:for )?(?:the |my )?files? (?:for|named|called) ["']?([\p{L}\p{N}_. -]+?)["']?(?:[.;,\n]|$)/iu.exec(
    prompt,
  )?.[1];
  const searchCodes = /\b(?:codes?|standards?) (?:for|on|about|say about) ["']?([\p{L}\p{N}_ -]+?)["']?(?:[.;,?\n]|$)/iu.exec(prompt)?.[1];
  const ask = /\bask (?:me|us|the user)\b:? ?(?:about |whether |if )?([^.?\n]+)/i.exec(prompt)?.[1];
  const review = /\breview\b[^.\n]*\bdrawings?\b|\bdrawings? review\b/i.test(prompt);
  const delegate = /\bsub-?agents?\b|\beach file separately\b/i.test(prompt);
  const summary = sentences === undefined ? (asksSummary ? usualSentences : 0) : countOf(sentences);
  return {
    understood:
      summary > 0 ||
      measures.length > 0 ||
      extract.length > 0 ||
      searchFiles !== undefined ||
      searchCodes !== undefined ||
      ask !== undefined ||
      review ||
      delegate,
    summary,
    extract,
    tabulate: /\btabulate\b|\btables?\b|\bspreadsheet\b|\bcsv\b|\bxlsx\b/i.test(prompt),
    measures,
    ...(searchFiles === undefined ? {} : { searchFiles: searchFiles.trim() }),
    ...(searchCodes === undefined ? {} : { searchCodes: searchCodes.trim() }),
    ...(ask === undefined ? {} : { ask: ask.trim() }),
    review,
    delegate,
  };
};
