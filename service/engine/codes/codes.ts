import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readDocuments, type CodeDocument, type Passage } from './documents.ts';

const sample = fileURLToPath(new URL('sample/', import.meta.url));

export type CodeQuery = {
  query: string;
  jurisdiction?: string | undefined;
  codeType?: string | undefined;
  year?: number | undefined;
  keywords?: readonly string[] | undefined;
  limit: number;
};

export type CodeHit = { id: string; document: CodeDocument; passage: Passage };

export type Codes = {
  search(query: CodeQuery): CodeHit[];
  /** Is there any code of this jurisdiction and type? */
  has(of: Pick<CodeQuery, 'jurisdiction' | 'codeType'>): boolean;
  close(): void;
};

/** Words as the index takes them: each quoted, so that nothing of a question is an operator of the search. */
const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

/** Words of a question that are searched for: the work grows with their square. */
const mostWords = 500;

const norm = (text: string): string => text.trim().toLowerCase();

/** The same letters, whatever the spaces and their case: a phrase that must stand in a passage as it is. */
const phrase = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ').trim();

/** Where no year is named: of each jurisdiction and type the newest code that is there. */
const newest = (documents: readonly CodeDocument[]): CodeDocument[] =>
  documents.filter((each) =>
    documents.every((other) => other.jurisdiction !== each.jurisdiction || other.codeType !== each.codeType || other.year <= each.year),
  );

/**
 * Full-text search over the sections of building codes: those of the sample, and those in `codes` of the data folder. Ranked by BM25 over
 * stemmed words, a heading counting three times.
 */
export const createCodes = (dataDir: string): Codes => {
  const documents = [...readDocuments(sample), ...readDocuments(join(dataDir, 'codes'))];
  const db = new DatabaseSync(':memory:');
  db.exec("CREATE VIRTUAL TABLE passages USING fts5(title, text, document UNINDEXED, passage UNINDEXED, tokenize = 'porter unicode61')");
  const insert = db.prepare('INSERT INTO passages (title, text, document, passage) VALUES (?, ?, ?, ?)');
  for (const [at, document] of documents.entries())
    for (const [number, { text }] of document.passages.entries()) {
      const [title = '', ...rest] = text.split('\n');
      insert.run(title, rest.join('\n'), at, number);
    }
  const ranked = db.prepare('SELECT document, passage FROM passages WHERE passages MATCH ? ORDER BY bm25(passages, 3.0, 1.0), rowid');

  const documentsOf = ({ jurisdiction, codeType }: Pick<CodeQuery, 'jurisdiction' | 'codeType'>): CodeDocument[] =>
    documents.filter(
      (each) =>
        (jurisdiction === undefined || each.jurisdiction === norm(jurisdiction)) &&
        (codeType === undefined || each.codeType === norm(codeType)),
    );

  return {
    has: (of) => documentsOf(of).length > 0,
    search({ query, jurisdiction, codeType, year, keywords = [], limit }) {
      const words = [...new Set([...keywords.flatMap(wordsOf), ...wordsOf(query)].map(norm))].slice(0, mostWords);
      if (words.length === 0) return [];
      const asked = documentsOf({ jurisdiction, codeType });
      const chosen = new Set(year === undefined ? newest(asked) : asked.filter((each) => each.year === year));
      const phrases = keywords.map(phrase);
      const hits: CodeHit[] = [];
      for (const row of ranked.iterate(words.map((word) => `"${word}"`).join(' OR ')) as Iterable<{ document: number; passage: number }>) {
        const document = documents[row.document]!;
        const passage = document.passages[row.passage]!;
        if (!chosen.has(document) || !phrases.every((each) => phrase(passage.text).includes(each))) continue;
        hits.push({ id: `${document.id}#${passage.citationId}`, document, passage });
        if (hits.length === limit) break;
      }
      return hits;
    },
    close: () => db.close(),
  };
};
