import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { orElse } from './common.ts';

/** 768 numbers a text. Outside the text, used by every public client. */
export const text = defineEndpoint({
  method: 'POST',
  path: '/v1/embedding/text',
  summary: 'Vectors of texts.',
  effect: 'safe',
  limit: 'maps/embedding',
  cost: 'the tokens of the texts',
  status: 200,
  input: z.strictObject({
    texts: z.array(z.string()).min(1).max(400),
    model: orElse(z.string(), 'svc-embed-text-v1'),
    task_type: orElse(z.enum(['search_document', 'search_query', 'classification', 'clustering']), 'search_document' as const),
    long_text_mode: orElse(z.enum(['mean', 'truncate']), 'mean' as const),
    max_tokens_per_text: orElse(z.int().min(1), 8_192),
    dimensionality: z.int().min(1).max(768).nullish(),
  }),
  output: z.looseObject({
    embeddings: z.array(z.array(z.number())),
    usage: z.looseObject({ prompt_tokens: z.int(), total_tokens: z.int() }),
    model: z.string(),
  }),
});
