import type { z } from 'zod';
import type { Json } from '../../text/json.ts';
import type { step } from '../file/schema.ts';
import type { Step } from '../step.ts';

/** A step of the file with its definition; `with` has parameters put in and defaults added. */
export type AnalysedStep = { id: string; file: z.output<typeof step>; definition: Step; with: Json; needs: string[] };
