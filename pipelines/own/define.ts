import type { z } from 'zod';
import type { Clients } from '../../client/create-client.ts';
import type { Calls } from '../../client/invoke.ts';
import type { EffectClass } from '../../contracts/endpoint.ts';
import type { PipelineInput } from '../file/schema.ts';
import type { Progress } from '../phases.ts';
import type { OwnFetchInit } from '../../client/own-fetch.ts';
import type { Declared } from './declared.ts';

/**
 * What the code of an own step is given beside its input: also every way to call an operation that the step lists, `invoke` by its
 * full name, `pages` for all pages of a list, `maps` and `instance` as methods. One attempt per call: a failure is retried by
 * running the step again.
 */
export type OwnStepContext = Pick<Calls, 'invoke' | 'pages'> &
  Clients & {
    /** Shown in the live view while the step runs; also shows the engine that it is alive. */
    progress(progress: Progress): void;
    /** Aborts when the run is cancelled or the worker stops. */
    signal: AbortSignal;
    /**
     * `fetch` for services of your own, http or https. One attempt; requests to the same origin, from whatever step and process of
     * this project, keep to one limit (`limits` in portolan.config.mts). A 429, a 503 and any refusal with Retry-After is no
     * answer: it is thrown as a wait that costs no attempt, and closes the limit for everyone until then. Redirects are
     * answers, not followed.
     */
    fetch(url: string | URL, init?: OwnFetchInit): Promise<Response>;
    /** The value of a secret named under `secrets` in portolan.config.mts, for code that must have it; `fetch` needs the name alone. */
    secret(name: string): Promise<string>;
    /** Rows that an earlier sweep gave, by its `results`: `for await (const row of context.rows(input.rows))`. */
    rows(results: string): AsyncIterable<Record<string, unknown>>;
    run: { id: string; pipeline: string };
    /** 1 for the first attempt; a wait is none. */
    attempt: number;
  };

/** An answer of a service that is not there: 200 without a status; a body that is no text is sent as JSON. */
export type FakeAnswer = { status?: number; headers?: Readonly<Record<string, string>>; body?: unknown };

/** A step of a user's own: what it takes and gives, what sending it twice would do, and its code. */
export type OwnStep<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = Declared & {
  /** `noun.verb` in lower case, such as `acme.greet`. For ever: runs in flight know it by this name. */
  name: string;
  /** One sentence, shown by `portolan steps` and `portolan plan`. */
  summary?: string;
  /** Input: an object of plain JSON. */
  input: I;
  /** Output: an object of plain JSON of at most 4 MiB; above 4 KiB it stands in the run store, where expressions read it all the same. */
  output: O;
  /** What a second run with the same input does: `safe`, `idempotent`, `reconcile` (the code looks before it acts) or `never` (run once). */
  effect: EffectClass;
  /** Input fields that hold a path, resolved against the pipeline's file. */
  paths?: readonly (keyof z.output<I> & string)[];
  /** Longest time of one attempt in seconds. Default: 300. */
  attemptSeconds?: number;
  /** An input for the reference page, and for `portolan step test`. */
  example?: Record<string, unknown>;
  /**
   * Answers that `portolan step test` gives in place of services, by `'METHOD URL'` (`'METHOD /path'` of an operation; a `*` at the end
   * stands for anything). Of several answers each is given once, the last again and again.
   */
  fake?: Readonly<Record<string, FakeAnswer | readonly FakeAnswer[]>>;
  /**
   * The code. An error fails the step once, unless it has `retryable: true`; an attempt whose worker was lost is
   * made again, so the code may run twice unless `effect` is `never`.
   */
  run(input: z.output<I>, context: OwnStepContext): Promise<z.input<O>> | z.input<O>;
};

/** An own step, the default export of its file. Gives the code its types; returns it unchanged. */
export const defineStep = <I extends z.ZodType, O extends z.ZodType>(step: OwnStep<I, O>): OwnStep<I, O> => step;

/** What a look at a started job gives: the output where it is done; nothing, or when to look again and how far it is, where it is not. */
export type Looked<Output> =
  | { output: Output }
  | {
      /** Seconds until the next look. Default: a tenth of the time that has passed, from 1 to 60. */
      againSeconds?: number;
      /** Shown in the live view until then. */
      progress?: Progress;
      output?: never;
    }
  | void;

/** What the code of a look is given. */
export type OwnLookContext<Input = any> = Omit<OwnStepContext, 'progress'> & {
  /** What the poll was started with. */
  input: Input;
  /** Seconds since it was started. */
  waitedSeconds: number;
};

/** A step of a user's own that starts something and waits for it; a wait of days holds no thread and writes no history. */
export type OwnPoll<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType, Job = any> = Omit<OwnStep<I, O>, 'run'> & {
  /**
   * Starts it, once: `effect` says what a second start would do. What it gives, plain JSON such as an id, every look is called with.
   * Errors and waits are those of a step.
   */
  start(input: z.output<I>, context: OwnStepContext): Promise<Job> | Job;
  /**
   * Looks once whether it is done. It only reads, and is called as often as needed, by whichever worker is free. An error fails the
   * step, unless it has `retryable: true`; a wait (429) is no failure.
   */
  check(job: Job, context: OwnLookContext<z.output<I>>): Promise<Looked<z.input<O>>> | Looked<z.input<O>>;
  /** Longest time from the start until it is done, in seconds; then the step fails. @default 86400 */
  deadlineSeconds?: number;
};

/** An own poll, the default export of its file. Gives the code its types; returns it unchanged. */
export const definePoll = <I extends z.ZodType, O extends z.ZodType, Job>(poll: OwnPoll<I, O, Job>): OwnPoll<I, O, Job> => poll;

/** What the code of a sweep is given for one item. */
export type SweepItemContext = Omit<OwnStepContext, 'progress'> & {
  /** Number of the item in the sweep, from 0. */
  index: number;
};

/** What became of an item; nothing at all means `done`. */
export type ItemFate<Result = unknown> = {
  /** A word in lower case for the ledger, such as `sent` or `skipped`. `failed` counts against `tolerate`. @default done */
  status?: string;
  /** Why, shown by `portolan items`. */
  reason?: string;
  /** The service's id of the request that decided. */
  request_id?: string;
  /** What the item gave: one row of the sweep's results. */
  result?: Result;
};

/** A step of a user's own that works on items, each by itself; chunks of them run beside each other and survive kills. */
export type OwnSweep<I extends z.ZodType = z.ZodType, Item = any, R extends z.ZodType = z.ZodType> = Omit<
  OwnStep<I>,
  'output' | 'run' | 'attemptSeconds'
> & {
  /**
   * The items, in order: plain JSON, kept in the run store before the first is worked on. Asked again only while nothing
   * has been worked on.
   */
  items(input: z.output<I>, context: OwnStepContext): ItemsOf<Item> | Promise<ItemsOf<Item>>;
  /**
   * Name of an item in the ledger, by which a rerun knows it again. Default: the item where it is a string or number, its `id`,
   * or its number from 0.
   */
  key?(item: Item): string;
  /**
   * Work on one item. An error with `retryable: true` is tried again, a wait (`throw Wait.after(…)`, one of `context.fetch`)
   * when it is over; any other error makes the item `failed`. After a kill only items that were under way are begun
   * again; with effect `never` these end as `unknown` instead. Such an item makes one call, so that a wait means that
   * nothing has happened.
   */
  each(item: Item, context: SweepItemContext): Promise<ItemFate<z.input<R>> | void> | ItemFate<z.input<R>> | void;
  /**
   * Columns of the results: an object of text, numbers, booleans, lists and objects of these. Later steps read them by
   * `${{ steps.ID.results }}`, `portolan items RUN --results` shows them.
   */
  result?: R;
  /** Longest time of one attempt of one item in seconds. @default 300 */
  attemptSeconds?: number;
  /** Attempts of an item that fails in passing before it is `failed`; waits are none. @default 10 */
  attempts?: number;
  /** Items begun in any so many seconds, over all runs of this project on this host. */
  limit?: { count: number; seconds: number };
  /** Items worked on at a time, of one chunk. @default 8 */
  atOnce?: number;
  /** Chunks under way at a time; a file may say otherwise. @default 4 */
  window?: number;
  /** Usual time of one item in seconds: chunks are made to last 10 s, of at most 1,000 items. @default 0.1 */
  itemSeconds?: number;
  /** Items of a chunk, where 10 s of work is not what is wanted. */
  chunk?: number;
};

type ItemsOf<Item> = Iterable<Item> | AsyncIterable<Item>;

/** An own sweep, the default export of its file. Gives the code its types; returns it unchanged. */
export const defineSweep = <I extends z.ZodType, Item, R extends z.ZodType = z.ZodType>(
  sweep: OwnSweep<I, Item, R>,
): OwnSweep<I, Item, R> => sweep;

/** What the file of an own step exports. */
export type OwnCode = OwnStep | OwnPoll | OwnSweep;

/** A pipeline written in TypeScript, the default export of its file: the same fields as in YAML. */
export const definePipeline = (pipeline: PipelineInput): PipelineInput => pipeline;
