import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { ocrLanguages, summaryContexts, summaryUnits } from '../parse-options.ts';
import { id } from './common.ts';

const switchedOn = z.strictObject({ enabled: z.boolean().optional() }).optional();

/** Options of the text; values and defaults are of the public docs, and of the same object in the definitions of the maps API. */
const options = z
  .strictObject({
    /** Default `en`. */
    ocrLanguage: z.enum(ocrLanguages).optional(),
    /** Off by default, other than in the maps API. */
    figureSummary: switchedOn,
    tableSummary: switchedOn,
    /** Most words of a summary. Default 100. */
    summaryWordLimit: z.int().min(10).max(100).optional(),
    /** Gives each chunk its vector. Off by default. */
    embedChunks: z.boolean().optional(),
    /** A summary of each page or chunk, made of its own words and ranked by those around it. Off by default. */
    summaryChunks: z
      .strictObject({
        enabled: z.boolean().optional(),
        /** Default `page`. */
        summaryBy: z.enum(summaryUnits).optional(),
        /** What is around a page or chunk while it is summarised. Default `latest_chunks`. */
        summaryMode: z.enum(summaryContexts).optional(),
        /** Pages or chunks that are summarised with the same around them. Default 20. */
        batchSize: z.int().min(1).max(1_000).optional(),
        /** Pages or chunks, or summaries of them, that are around one. Default 10. */
        contextSize: z.int().min(0).max(1_000).optional(),
      })
      .optional(),
    /** Taken; what this service does otherwise stands in the notes of the result. */
    experimentalOptions: z
      .strictObject({ layoutModel: z.string().min(1).optional(), usePaddlePostprocessing: z.boolean().optional() })
      .optional(),
  })
  .optional();

/** Begins to parse one version of a file. Bytes that are no document fail the task, not this call. */
export const submit = defineEndpoint({
  method: 'POST',
  path: '/api/v0/parse',
  summary: 'Begin to parse an uploaded file into blocks and chunks.',
  // A repeat is a second task with the same result.
  effect: 'safe',
  limit: 'instance/heavy',
  cost: 'the pages of the document',
  scopes: ['developer:parse'],
  status: 200,
  refuses: { 501: 'characters of that language are not recognised on this instance' },
  input: z.strictObject({ fileVersionId: id, options }),
  output: z.looseObject({ taskId: z.string().min(1) }),
});

/** `resultUrl` gives the result without a key, for an hour; each answer has a new one. */
export const get = defineEndpoint({
  method: 'GET',
  path: '/api/v0/parse/{taskId}',
  summary: 'How a task of parse stands.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes: ['developer:parse'],
  status: 200,
  input: z.strictObject({ taskId: id }),
  output: z.looseObject({
    /** `pending`, `completed`, `failed`. */
    status: z.string(),
    resultUrl: z.string().nullish(),
    /** Why it failed (assumption: the text names no field). */
    error: z.string().nullish(),
  }),
});
