import type { z } from 'zod';

/** A failure that the text, or an assumption, gives a meaning of its own: by status, and by the body's code where one is named. */
export type DeclaredError<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  readonly status: number;
  readonly code?: string;
  /** What its body says, where another error has the same status and code. */
  readonly body?: RegExp;
  /** What the service says by it, in one sentence. */
  readonly says: string;
} & (
  | {
      /** The effect is there already: the call has succeeded, with this result. */
      readonly means: 'done';
      as(input: z.output<I>): z.output<O>;
    }
  | {
      /** `later`: nothing happened, and the same call may succeed later. `final`: nothing happened, and it never will. */
      readonly means: 'later' | 'final';
      readonly remedy?: string;
    }
);
