import { z } from 'zod';
import { readingsSchema } from '../../contracts/assumptions/schema.ts';
import { isOperation, serviceNames } from '../../contracts/index.ts';
import { fileOperation } from '../../contracts/maps/documents.ts';
import { partOperation } from '../../contracts/maps/uploads.ts';
import { limits as published } from '../../contracts/limits.ts';
import type { LimitClass } from '../../contracts/limits.ts';
import type { ServedOperation } from '../http/handlers.ts';
import { moments } from './faults.ts';
import type { Moment } from './faults.ts';

const disturbance = z.union([
  z.strictObject({
    status: z.int().min(200).max(599),
    retryAfter: z.union([z.int().min(0), z.literal('date')]).optional(),
    detail: z.string().optional(),
  }),
  z.strictObject({ reset: z.enum(['before', 'body', 'after']) }),
  z.strictObject({ lose: z.literal('answer') }),
  z.strictObject({ hold: z.enum(['before', 'after']) }),
  z.strictObject({ slow: z.strictObject({ bytesPerSecond: z.number().positive() }) }),
  z.strictObject({ truncate: z.literal('body') }),
  z.strictObject({ duplicate: z.literal('delivery') }),
  z.strictObject({ expired: z.literal(true) }),
]);

const puts: readonly string[] = [partOperation, fileOperation];
const isPut = (name: string): name is typeof partOperation | typeof fileOperation => puts.includes(name);
const isMoment = (name: string): name is Moment => moments.some((moment) => moment === name);
const isTarget = (name: string): name is ServedOperation | Moment => isPut(name) || isMoment(name) || isOperation(name);

/** A hundred years. */
const longestOffset = 100 * 366 * 86_400;

/** Bodies of the orders that the control plane takes. */
export const orders = {
  fault: z
    .strictObject({
      operation: z.string().refine(isTarget, 'unknown operation'),
      nth: z.int().min(1).default(1),
      times: z.int().min(1).default(1),
      do: disturbance,
    })
    .refine(({ operation, do: order }) => isPut(operation) || !('expired' in order || ('reset' in order && order.reset === 'body')), {
      path: ['do'],
      message: `only a PUT to a signed URL (${puts.join(', ')}) has a URL that expires and a body that is read as it comes`,
    })
    .refine(({ operation, do: order }) => !isMoment(operation) || 'hold' in order, {
      path: ['do'],
      message: `a moment inside a call (${moments.join(', ')}) can only be held`,
    }),
  release: z.strictObject({ id: z.string() }),
  wait: z.strictObject({ id: z.string(), timeoutMs: z.int().min(0).max(600_000).default(60_000) }),
  limit: z.strictObject({
    class: z.string().refine((name): name is LimitClass => Object.hasOwn(published, name), 'unknown limit class'),
    count: z.int().min(0).nullable(),
    seconds: z.number().positive().default(60),
  }),
  intake: z.strictObject({ bytesPerSecond: z.number().positive().nullable() }),
  clock: z.strictObject({ offsetSeconds: z.number().min(-longestOffset).max(longestOffset) }),
  lifetimes: z.strictObject({ partUrlSeconds: z.number().positive() }),
  readings: readingsSchema,
  agents: z.strictObject({
    pace: z
      .strictObject({ from: z.number().min(0), to: z.number().min(0) })
      .refine(({ from, to }) => from <= to, 'from must not be above to')
      .optional(),
    /** So many answers of the model fail from now on; `again`: as those that may come later. */
    failures: z
      .strictObject({ left: z.int().min(0), category: z.string().default('overloaded'), again: z.boolean().default(true) })
      .optional(),
  }),
  answer: z.strictObject({ agent: z.guid(), answer: z.string() }),
  user: z.strictObject({ name: z.string().min(1), email: z.email() }),
  key: z.strictObject({
    service: z.enum(serviceNames),
    name: z.string().min(1),
    scopes: z.array(z.string()).default([]),
    expiresAt: z.iso.datetime().optional(),
    /** Absent: the first user. */
    user: z.guid().optional(),
  }),
};
