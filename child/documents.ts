import type { extractionModes, ocrLanguages, summaryContexts, summaryUnits } from '../contracts/parse-options.ts';

/** Summaries of all of a document, page by page or chunk by chunk. */
export type ChunkSummaries = {
  by: (typeof summaryUnits)[number];
  around: (typeof summaryContexts)[number];
  /** Units that are summarised with the same around them. */
  batch: number;
  /** Units, or summaries of units, that are around one. */
  context: number;
};

export type ParseOptions = {
  /** What is read by recognising characters: nothing, the bitmaps of a document, or its pages as pictures. */
  mode: (typeof extractionModes)[number];
  /** Of the characters that are recognised. */
  language: Exclude<(typeof ocrLanguages)[number], 'zh_ja_en'>;
  tableSummary: boolean;
  figureSummary: boolean;
  /** Most words of a summary. */
  summaryWords: number;
  chunkSummaries?: ChunkSummaries;
  /** What is said of the reading beside what its document gives occasion for. */
  notes?: readonly string[];
};

/** A document that is to be read. `contentType` and `name` are what its sender says: its bytes decide, where they tell. */
export type ParseRequest = {
  file: string;
  contentType?: string | undefined;
  name?: string | undefined;
  options: ParseOptions;
  /** File that gets the parsed document as JSON (contracts/parsed-document.ts), whole or not at all. */
  into: string;
};

export type ParseResult = { type: string; bytes: number; sha256: string; pages: number; chunks: number };

/** Documents are opened in a child process with memory and time watchdogs: a bad one ends in a `BadInput` verdict here. */
export type Documents = {
  /** Progress counts the pages read. */
  parse(request: ParseRequest, options?: { signal?: AbortSignal; progress?: (pages: number) => void }): Promise<ParseResult>;
  close(): Promise<void>;
};
