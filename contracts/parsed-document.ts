import { z } from 'zod';

/** A part of a page, in fractions of its width and height from the upper left; pages count from 1. */
const box = z.looseObject({ left: z.number(), top: z.number(), width: z.number(), height: z.number(), page: z.int().min(1) });

/** First and last line of a text file, from 1. */
const lines = z.tuple([z.int().min(1), z.int().min(1)]);

/** One piece of a document in the order of reading. */
export const documentBlock = z.looseObject({
  /** `Title`, `Section Header`, `Text`, `List Item`, `Table`, `Figure`, `Code` of this service; another may name others. */
  type: z.string(),
  content: z.string(),
  /** Null where the format has no pages. */
  bbox: box.nullish(),
  lines: lines.nullish(),
  /** Of a table: its cells by row. */
  cells: z.array(z.array(z.string())).nullish(),
  /** How the text was had, where not from the file's own. */
  source: z.string().nullish(),
  summary: z.looseObject({ text: z.string(), method: z.string() }).nullish(),
});

/** What is embedded and searched: a page, or of a format without pages a piece of some thousand characters. */
export const documentChunk = z.looseObject({
  content: z.string(),
  /** The text to embed: the headings above it, and its content. */
  embed: z.string(),
  blocks: z.array(documentBlock),
  index: z.int().min(0).nullish(),
  page: z.int().min(1).nullish(),
  lines: lines.nullish(),
  /** Headings under which it stands. */
  section: z.array(z.string()).nullish(),
  /** SHA-256 of its content, in hex. */
  hash: z.string().nullish(),
  /** With `embed_chunks`. */
  embedding: z.array(z.number()).nullish(),
});

/** What a page or a chunk says in short; `chunks`: the first and last chunk that it is of, by their index. */
const summary = z.looseObject({
  page: z.int().min(1).nullish(),
  chunks: z.tuple([z.int().min(0), z.int().min(0)]),
  text: z.string(),
  method: z.string(),
});

/** The document that the URL of a result gives (maps API and instance API alike). */
export const parsedDocument = z.looseObject({
  chunks: z.array(documentChunk),
  file: z.looseObject({ type: z.string(), bytes: z.int(), sha256: z.string(), title: z.string().nullish() }).nullish(),
  pages: z.array(z.looseObject({ page: z.int().min(1), width: z.number(), height: z.number() })).nullish(),
  /** Where summaries of pages or chunks were asked for. */
  summaries: z.array(summary).nullish(),
  /** What could not be read, or was read otherwise than asked, in sentences. */
  notes: z.array(z.string()).nullish(),
  /** Name and version of what read it: the same bytes and options give the same document under the same version. */
  parser: z.string().nullish(),
});

export type ParsedDocument = z.input<typeof parsedDocument>;
export type DocumentChunk = z.input<typeof documentChunk>;
export type DocumentBlock = z.input<typeof documentBlock>;
export type ChunkSummary = z.input<typeof summary>;
export type Box = z.input<typeof box>;
export type Lines = z.input<typeof lines>;
