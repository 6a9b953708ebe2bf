import type { z } from 'zod';
import type { Json } from '../../text/json.ts';
import type { step } from '../file/schema.ts';
import type { EndStatus } from '../plan.ts';
import type { Step } from '../step.ts';

/**
 * A step of the file with its definition; `with` has parameters put in and defaults added, `when` parameters. `accepts`: ends of needs
 * after which it starts, where they are not the usual ones.
 */
export type AnalysedStep = {
  id: string;
  file: z.output<typeof step>;
  definition: Step;
  with: Json;
  when?: string | boolean;
  needs: string[];
  accepts: { [step: string]: EndStatus[] };
};
