import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

export const get = defineEndpoint({
  method: 'GET',
  path: '/v1/health/',
  summary: 'Is the service up.',
  effect: 'safe',
  limit: 'maps/read',
  status: 200,
  auth: false,
  input: z.strictObject({}),
  // The text gives no body.
  answer: 'nothing',
  output: z.unknown(),
});
