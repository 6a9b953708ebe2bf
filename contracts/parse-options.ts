import { z } from 'zod';
import { orElse } from './maps/common.ts';

/** What is read by recognising characters: nothing, the bitmaps of a document, or its pages as pictures (maps text, Parse request). */
export const extractionModes = ['metadata', 'hybrid', 'ocr'] as const;

export const ocrLanguages = ['en', 'latin', 'zh_ja_en'] as const;

/** What has a summary of its own: each page (a document without pages is one), or each chunk. */
export const summaryUnits = ['page', 'chunk'] as const;

/** What is around a page or chunk while it is summarised: texts of earlier ones or their summaries, the latest or some of all. */
export const summaryContexts = [
  'rolling_summary',
  'sampled_comprehensions',
  'sampled_chunks',
  'latest_comprehensions',
  'latest_chunks',
] as const;

const switchedOn = (otherwise: boolean) =>
  z
    .strictObject({ enabled: z.boolean() })
    .nullish()
    .transform((given) => ({ enabled: given?.enabled ?? otherwise }));

/** Options of a parse request; those that the text does not show are of public clients and docs. */
export const parseOptions = z
  .strictObject({
    chunking: z.strictObject({ chunk_mode: orElse(z.enum(['page']), 'page' as const) }).nullish(),
    /** Of older clients, which name a way to cut that the text does not have: taken, and the document is cut by page. */
    chunker: z.enum(['hybrid', 'hierarchical']).nullish(),
    ocr_system: orElse(z.enum(['standard']), 'standard' as const),
    ocr_language: orElse(z.enum(ocrLanguages), 'en' as const),
    content_extraction_mode: orElse(z.enum(extractionModes), 'hybrid' as const),
    table_summary: switchedOn(false),
    figure_summary: switchedOn(true),
    embed_chunks: orElse(z.boolean(), false),
  })
  .nullish();
