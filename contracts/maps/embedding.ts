import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { orElse } from './common.ts';
import { blob, listOf } from './form.ts';

/** Where a local service cannot embed: a package that a project installs for itself is missing, or what embeds in its place fails. */
export const textsUnread = {
  501: 'this service has not the packages that embed texts',
  502: 'the endpoint by which this service embeds texts has failed',
} as const;

/** 768 numbers a text. Outside the text, used by every public client. */
export const text = defineEndpoint({
  method: 'POST',
  path: '/v1/embedding/text',
  summary: 'Vectors of texts.',
  effect: 'safe',
  limit: 'maps/embedding',
  cost: 'the tokens of the texts',
  status: 200,
  refuses: textsUnread,
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

/** Most images of one call (public clients send so many). */
const mostImages = 512;

const images = z.preprocess(listOf, z.array(blob).min(1).max(mostImages)).optional();
const urls = z.preprocess(listOf, z.array(z.string().min(1)).min(1).max(mostImages)).optional();

/** Images come as the parts of a form, or as URLs in an urlencoded one, never as both (assumption); the text shows no default of the model, public docs do. */
export const image = defineEndpoint({
  method: 'POST',
  path: '/v1/embedding/image',
  summary: 'Vectors of images, by their bytes or by their URLs.',
  effect: 'safe',
  limit: 'maps/embedding',
  cost: 'the images',
  status: 200,
  body: 'form',
  refuses: { 501: 'this service has not the package that decodes images' },
  input: z
    .strictObject({ model: orElse(z.string(), 'svc-embed-vision-v1.5'), images, urls })
    .refine((given) => (given.images === undefined) !== (given.urls === undefined), {
      path: ['images'],
      message: 'send either images or urls, and not both',
    }),
  output: z.looseObject({
    embeddings: z.array(z.array(z.number())),
    usage: z.looseObject({ prompt_tokens: z.int(), total_tokens: z.int() }),
    model: z.string(),
  }),
});
