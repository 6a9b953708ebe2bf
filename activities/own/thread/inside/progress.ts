import { z } from 'zod';
import type { Progress } from '../../../../pipelines/phases.ts';
import { badInput } from './bad-input.ts';

/** How far a step is, as its code says it. */
export const progressFields = {
  done: z.number(),
  total: z.number().optional(),
  unit: z.string(),
  note: z.string().optional(),
  bytes: z.number().optional(),
};

const schema = z.object(progressFields);

/** What `context.progress` was given. Fails where JSON has no such value: the worker could send none of its heartbeats. */
export function checkedProgress(given: unknown): Progress {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw badInput(`context.progress does not fit: ${['progress', ...path].join('.')}: ${message}`);
}
