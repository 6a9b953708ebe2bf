import type { z } from 'zod';
import type { Activity, Definition } from '../../pipelines/step.ts';

/** The code type of a step, from its definition. */
export type ActivityOf<S> =
  S extends Definition<infer I extends z.ZodType, infer O extends z.ZodType, infer K> ? Activity<z.output<I>, z.input<O>, K> : never;
