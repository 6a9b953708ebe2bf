import type { z } from 'zod';
import type { LoopBody } from '../../pipelines/plan.ts';
import type { Counts, Polled, Started, SweepPrepared } from '../../pipelines/phases.ts';
import type { Definition, Kind } from '../../pipelines/step.ts';
import type { StepContext } from './context.ts';

/** The code of a step, by kind. Values that cross between phases are plain JSON of at most 4 MiB; those above 4 KiB stand in the run store. */
export type Activity<I, O, K extends Kind> = {
  call: { run(input: I, context: StepContext): Promise<O> };
  sweep: {
    /** `body`: what is done for each item, of a loop. */
    prepare(input: I, context: StepContext, body?: LoopBody): Promise<SweepPrepared<any>>;
    /** The return acknowledges the chunk. It may run again after a crash. `done` among the counts is the progress. */
    chunk(input: I, state: any, index: number, context: StepContext): Promise<Counts>;
    finish(input: I, state: any, counts: Counts, context: StepContext): Promise<O>;
    /**
     * Items of a chunk that were sent perhaps, where the run ends without knowing how the chunk ended. Asks and sends nothing.
     * Absent: the step has no effect on items.
     */
    sent?(input: I, state: any, index: number, context: StepContext): Promise<readonly string[]>;
  };
  poll: {
    start(input: I, context: StepContext): Promise<Started<O>>;
    check(input: I, token: any, context: StepContext): Promise<Polled<O>>;
  };
  gate: never;
}[K];

/** The code type of a step, from its definition. */
export type ActivityOf<S> =
  S extends Definition<infer I extends z.ZodType, infer O extends z.ZodType, infer K extends Kind>
    ? Activity<z.output<I>, z.input<O>, K>
    : never;
