import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

/** The answer is that of the public docs: the text shows none. A jurisdiction or code type that nobody knows has no results (assumption). */
export const search = defineEndpoint({
  method: 'POST',
  path: '/api/v0/codes/search',
  summary: 'Building codes, fire codes and other regulations, by words and place.',
  effect: 'safe',
  limit: 'instance/search',
  scopes: ['developer:agent'],
  status: 200,
  input: z.strictObject({
    query: z.string().min(1).max(2_000),
    /** A slug, e.g. `texas`. */
    jurisdiction: z.string().min(1),
    /** A discipline, e.g. `building`. */
    codeType: z.string().min(1),
    /** Of the code; absent: the newest one of the jurisdiction and type (assumption). */
    year: z.int().optional(),
    limit: z.int().min(1).max(50).optional(),
    /** Phrases, each of which must stand in the passage as it is. */
    keywords: z.array(z.string().min(1).max(2_000)).max(50).optional(),
  }),
  output: z.looseObject({
    results: z.array(
      z.looseObject({
        id: z.string(),
        citationId: z.string().nullish(),
        pageNumber: z.int().nullish(),
        content: z.array(z.looseObject({ citationId: z.string().nullish(), text: z.string() })),
        file: z
          .looseObject({
            id: z.string(),
            name: z.string().nullish(),
            mimeType: z.string().nullish(),
            versionId: z.string().nullish(),
            code: z.looseObject({ name: z.string(), year: z.int().nullish() }).nullish(),
            jurisdiction: z.looseObject({ slug: z.string(), name: z.string().nullish() }).nullish(),
            adoption: z.looseObject({ effectiveDate: z.string().nullish(), amendments: z.array(z.string()).nullish() }).nullish(),
            documentTitle: z.string().nullish(),
          })
          .nullish(),
      }),
    ),
  }),
});
