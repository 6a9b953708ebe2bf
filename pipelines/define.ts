import type { z } from 'zod';
import type { Client } from '../client/client.ts';
import type { EffectClass } from '../contracts/endpoint.ts';
import type { OperationName } from '../contracts/index.ts';
import type { maps } from '../contracts/maps/index.ts';
import type { PipelineInput } from './file.ts';
import type { Progress } from './step.ts';

/** What the code of an own step is given beside its input. */
export type OwnStepContext = {
  /** Shown in the live view while the step runs; also tells the engine that it is alive. */
  progress(progress: Progress): void;
  /** Aborts when the run is cancelled or the worker stops. */
  signal: AbortSignal;
  /** Client of the maps API on the run's connection. One attempt per call: a failure is retried by running the step again. */
  maps: Client<typeof maps>;
  run: { id: string; pipeline: string };
  /** 1 for the first attempt. */
  attempt: number;
};

/** A step of a user's own: what it takes and gives, what sending it twice would do, and its code. */
export type OwnStep<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  /** `noun.verb` in lower case, such as `acme.greet`. For ever: runs in flight know it by this name. */
  name: string;
  /** One sentence, shown by `portolan steps` and `portolan plan`. */
  summary?: string;
  /** Input: an object of plain JSON. */
  input: I;
  /** Output: an object of plain JSON below 64 KiB; larger results belong in a file. */
  output: O;
  /** What a second run with the same input does: `safe`, `idempotent`, `reconcile` (the code looks before it acts) or `never` (run once). */
  effect: EffectClass;
  /** Cannot be taken back: a pipeline needs an approval before it. */
  irreversible?: true;
  /** Operations of the API that it calls; `portolan plan` shows them. */
  operations?: readonly OperationName[];
  /** Input fields that hold a path, resolved against the pipeline's file. */
  paths?: readonly (keyof z.output<I> & string)[];
  /** Longest time of one attempt in seconds. Default: 300. */
  attemptSeconds?: number;
  /** An input for the reference page. */
  example?: Record<string, unknown>;
  /**
   * The code. An error fails the step once, unless it has `retryable: true`; an attempt whose worker was lost is
   * made again, so the code may run twice unless `effect` is `never`.
   */
  run(input: z.output<I>, context: OwnStepContext): Promise<z.input<O>> | z.input<O>;
};

/** An own step, the default export of its file. Gives the code its types; answers it unchanged. */
export const defineStep = <I extends z.ZodType, O extends z.ZodType>(step: OwnStep<I, O>): OwnStep<I, O> => step;

/** A pipeline written in TypeScript, the default export of its file: the same fields as in YAML. */
export const definePipeline = (pipeline: PipelineInput): PipelineInput => pipeline;
