import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { listed } from './common.ts';

/** Values of `usage_type` (public docs; the text shows none). */
export const usageTypes = ['advanced_analysis', 'text_tokens', 'image_embeddings'] as const;

const organization = z.string().min(1);

/**
 * The text lists them among the limits of each of these reads. They page the models of `recent`, the only list that one has; the others take
 * them without effect (assumption).
 */
const paging = { offset_number: z.int().min(0).default(0), limit: z.int().min(1).nullish() };
const pagingQuery = { offset_number: 'number', limit: 'number' } as const;

/** `used` of what a plan offers, in its own unit: tokens, images, members, bytes. */
const used = z.looseObject({
  used: z.number().default(0),
  offered: z.number().nullish(),
  unit_price: z.number().nullish(),
  billable: z.string().nullish(),
});

/** `billing_period`: "the exact start date of the period" (maps text), `2026-11-01`; null: the present one. */
export const period = defineEndpoint({
  method: 'GET',
  path: '/v1/organization/{organization_id_or_slug}/usage2',
  summary: 'What an organization has used in a billing period.',
  effect: 'safe',
  limit: 'maps/read',
  status: 200,
  query: { billing_period: 'text', ...pagingQuery },
  input: z.strictObject({ organization_id_or_slug: organization, billing_period: z.iso.date().nullish(), ...paging }),
  output: z.looseObject({
    plan_type: z.string().nullish(),
    billing_period: z.string().nullish(),
    text_tokens: used,
    image_embeddings: used,
    seats: used,
    storage: used,
  }),
});

export const recent = defineEndpoint({
  method: 'GET',
  path: '/v1/organization/{organization_id_or_slug}/usage',
  summary: 'What an organization has used in the past month, and the rows that it has.',
  effect: 'safe',
  limit: 'maps/read',
  status: 200,
  query: { since_last_billing_date: 'boolean', ...pagingQuery },
  input: z.strictObject({ organization_id_or_slug: organization, since_last_billing_date: z.boolean().default(true), ...paging }),
  output: z.looseObject({
    usage_since_date: z.string().nullish(),
    public_datapoints: z.number().nullish(),
    private_datapoints: z.number().nullish(),
    organization_seats: z.number().nullish(),
    advanced_analysis_usage: z.number().nullish(),
    embedding_models: listed(z.looseObject({ model: z.string(), tokens: z.number().nullish(), num_embeddings: z.number().nullish() })),
  }),
});

export const withinLimit = defineEndpoint({
  method: 'GET',
  path: '/v1/organization/{organization_id_or_slug}/usage/{usage_type}/within_limit',
  summary: 'Is an organization within a limit of its plan.',
  effect: 'safe',
  limit: 'maps/read',
  status: 200,
  query: pagingQuery,
  input: z.strictObject({ organization_id_or_slug: organization, usage_type: z.enum(usageTypes), ...paging }),
  output: z.looseObject({
    usage_type: z.string().nullish(),
    within_limit: z.boolean(),
    total_with_update: z.number().nullish(),
    limit: z.number().nullish(),
    plan_type: z.string().nullish(),
    organization_to_charge_id: z.string().nullish(),
    organization_to_charge_slug: z.string().nullish(),
  }),
});
