import type { ColumnUse } from './steps/column-uses.ts';
import type { TableColumn } from './steps/table-columns.ts';
import type { z } from 'zod';
import type { EffectClass } from '../contracts/endpoint.ts';
import type { OperationName } from '../contracts/index.ts';
import type { Readings } from '../contracts/assumptions/index.ts';
import { batchesOf, type Batches } from '../contracts/maps/batches.ts';
import type { fileOperation } from '../contracts/maps/documents.ts';
import type { partOperation } from '../contracts/maps/uploads.ts';
import type { TableFacts } from './source-spec.ts';
import type { Difference } from './budgets/difference.ts';
import type { OwnCode } from './own/define.ts';

/**
 * How a step runs. The interpreter knows kinds, never step types.
 * - `call`: one activity.
 * - `sweep`: prepare, then chunks of items in a window of activities, then finish.
 * - `poll`: start once, then check until done; a long wait holds no slot.
 * - `gate`: a person decides.
 */
export type Kind = 'call' | 'sweep' | 'poll' | 'gate';

/** What may stand in a file: a kind of step, steps that are done for each item, or a pipeline that is a run of its own. */
export type FileKind = Kind | 'loop' | 'pipeline';

/**
 * Calls of one operation that a step will make; equal bounds where the number is exact. `max` is null where nothing bounds
 * it before the run. `because` says why, or what could make it more.
 */
export type PlannedCalls = { operation: OperationName | typeof partOperation | typeof fileOperation; min: number } & (
  | { max: number; because?: string }
  | { max: null; because: string }
);

/** What a step does that cannot be taken back: a gate must approve it. */
export type Act = {
  /** What is done, in a word or two: `rows deleted`, the name of an operation, a word of a user's own. */
  kind: string;
  /** How often at most; null where nobody knows before the run, and `because` says why. */
  most: number | null;
  because?: string;
  /** One line about it. */
  says: string;
  /** The data decides whether it happens: without an approval the step fails before it does it. */
  perhaps?: true;
  /** Of the run of a pipeline: the step there that does it, and what approves it. */
  inside?: { step: string; gate?: string; unapproved?: true };
};

/** What `plan` shows of one step. */
export type StepForecast = {
  /** One line: what the step does with this input. */
  does: string;
  calls: PlannedCalls[];
  /** Time the work itself takes, in seconds, beside the limits: an estimate. */
  seconds?: number;
  /** Acts that cannot be taken back. */
  acts?: Act[];
  /** What the service charges, in US dollars, as far as that can be known; null: nothing bounds it. */
  cost?: { min: number; max: number | null; because: string };
  /** What the service charges by, of the run of a pipeline; of a step it follows from its calls. */
  charged?: string[];
  /** Upper bound of items handed to the steps that refer to this one; null: nobody knows how many before the run. */
  items?: number | null;
  /** What it has found to differ, where it compares what should be with what is. */
  differences?: Difference[];
  /** Why it will fail. */
  problems?: string[];
  /** Why it would fail as things are now, where what comes before it in the run, or a person, may change them. */
  doubts?: string[];
  /** Files that its table names and that are not there. */
  absent?: AbsentFiles[];
};

/** Files that rows of a table name and that are not there: how many of so many, and the first, by their rows (from 1). `inside`: the step of the pipeline's run. */
export type AbsentFiles = {
  files: number;
  missing: number;
  first: { row: number; file: string; because: string }[];
  inside?: string;
};

/** Files that the table of a step names, as they are here now; what is wrong with the table; or why nobody looked. */
export type NamedFacts = ({ rows: number; bytes: number } & AbsentFiles) | { problems: string[] } | { because: string };

/** Budgets that a step compares, as their service has them now; or what is wrong in its files, or why nobody knows what differs. */
export type BudgetFacts = { differences: Difference[] } | { problems: string[] } | { because: string };

/** What agents that have ended have cost, each, in US dollars; that none has ended; or why nobody knows. */
export type SpentFacts = { agents: number; least: number; most: number } | { agents: 0 } | { because: string };

/** What is known before the run: the table that it adds, item counts of the steps referred to. */
export type Facts = {
  /** The table whose rows the step adds; undefined where it adds none, or where it could not be read. */
  table: TableFacts | undefined;
  /** Largest `items` forecast among the steps that this one refers to; null where one of them is not known before the run. */
  items: number | null | undefined;
  /** Items that an own sweep lists, or why nobody knows how many; undefined where nobody has asked it. */
  listed: number | { because: string } | undefined;
  /** The dataset of the step as it is at the service; undefined where nobody looked, or where nobody knows which one it is. */
  dataset: DatasetFacts | undefined;
  /** What agents of the same prompt or workflow have cost so far; undefined where nobody looked. */
  spent?: SpentFacts | undefined;
  /** Undefined where nobody looked at budgets. */
  budgets?: BudgetFacts | undefined;
  /** Files that the table of the step names; undefined where it names none, or where nobody has the table. */
  named?: NamedFacts | undefined;
  /** Largest calls that the service of the step takes. */
  batch: Batches;
  /** Readings that the step's connection names. */
  readings: Partial<Readings>;
  /** How long counts and reads may lag behind an answered write, in milliseconds. */
  lagMs: number;
};

/**
 * A dataset that is still to be created has no id and no rows; `beside`: datasets that its organization has, and how many the plan makes;
 * `madeBefore`: another step, or another turn, may have made it when the turn of this step comes.
 * `idField` and `schema` (base64 of one Arrow IPC message) of one that is there, where it has them.
 */
export type DatasetFacts =
  | { exists: false; rows: 0; beside?: { there: number; made: number }; madeBefore?: true }
  | { exists: true; id: string; rows: number; idField?: string; schema?: string };

/** What is known of a connection before a run. */
export type ConnectionFacts = Pick<Facts, 'batch' | 'readings' | 'lagMs'>;

/** What holds of every service. */
export const anyConnection: ConnectionFacts = { batch: batchesOf(), readings: {}, lagMs: 60_000 };

/** Nothing was asked of anybody. */
export const unknownFacts: Facts = { table: undefined, items: undefined, listed: undefined, dataset: undefined, ...anyConnection };

/** Activity limits of a step in milliseconds. */
export type StepTimeouts = {
  /** One attempt. */
  attemptMs: number;
  /** Everything, waits for Retry-After included; attempts are unlimited inside it. */
  deadlineMs: number;
  /** poll: longest time until done. */
  pollMs?: number;
};

/** An input as `plan` sees it: parts that are still expressions are undefined. */
export type Known<T> = T extends readonly (infer U)[]
  ? Known<U>[] | undefined
  : T extends object
    ? { [K in keyof T]?: Known<T[K]> } | undefined
    : T | undefined;

/** What a step is, apart from its code. */
export type Definition<I extends z.ZodType, O extends z.ZodType, K extends FileKind> = {
  /** `noun.verb`; also the Temporal activity type. For ever: an alias keeps an old one alive. */
  readonly name: string;
  readonly summary: string;
  readonly kind: K;
  readonly input: I;
  readonly output: O;
  readonly effect: EffectClass;
  /** Operations it may call: limit classes and the service follow from them. */
  readonly operations: readonly OperationName[];
  readonly timeouts: StepTimeouts;
  /** sweep: chunks in flight at a time unless the file says otherwise. */
  readonly window?: number;
  /**
   * Version of the step's code: raised when the same input would give another result, so that `rerun` does not reuse
   * the old one; of an own step a hash of its file. @default 1
   */
  readonly version?: number | string;
  /** Input fields that hold a path, resolved against the pipeline's file. */
  readonly paths?: readonly (keyof z.output<I> & string)[];
  /** Of `paths`, those that hold a glob of files as they are, and no table. */
  readonly lists?: readonly (keyof z.output<I> & string)[];
  /** It sends a form: anywhere in its input `{ file: PATH }` stands for a file, whose path is resolved as those of `paths`. */
  readonly files?: boolean;
  /** The step holds the dataset of this slug for the run: the default of `concurrency`. */
  readonly concurrency?: (input: Known<z.output<I>>) => string | undefined;
  /** sweep: statuses of items that the file's `tolerate` counts. */
  readonly tolerates?: readonly string[];
  /** sweep: a chunk that is given up goes on where it was when it is sent again, so that a pause ends it. */
  readonly goesOn?: true;
  /**
   * The dataset that a step writes or reads, by input field. A step that reads one follows every step above it in the
   * file that writes the same one, so that a file need not say `needs` for it.
   */
  readonly dataset?: { readonly field: keyof z.output<I> & string; readonly as: 'writes' | 'reads' };
  /**
   * What the step changes beside the rows of a dataset, by the parts of its name: for each the input fields one of which holds it. A step
   * follows every step above it that changes the same.
   */
  readonly changes?: { readonly [part: string]: readonly (keyof z.output<I> & string)[] };
  /** Columns that the step puts into its dataset, where the input says which. */
  readonly brings?: (input: Known<z.output<I>>) => string[] | undefined;
  /** Columns of its dataset, or of its map's, that the input names, where in the input, and for what. */
  readonly columns?: (input: Known<z.output<I>>) => ColumnUse[];
  /** Columns of its own table that the input names. */
  readonly names?: (input: Known<z.output<I>>) => TableColumn[];
  /** The service makes vectors of texts for it. */
  readonly embeds?: (input: Known<z.output<I>>) => boolean;
  /** Its map must have vectors. */
  readonly vectors?: true;
  /** Input field that may hold a vector, of as many numbers as those of its map. */
  readonly vector?: keyof z.output<I> & string;
  readonly forecast: (input: Known<z.output<I>>, facts: Facts) => StepForecast;
  /** `with:` of the reference page; also the fixture that proves the schema. */
  readonly example: Record<string, unknown>;
};

/** Any step: what it is. How it is done stands in `activities/frame/table.ts`, or in the user's own file. */
export type Step = Definition<z.ZodType<any>, z.ZodType, Kind> & { readonly own?: Own };

/** What stands in a file: a step, or a loop or a pipeline, which have steps instead of code. */
export type StepOrLoop = Definition<z.ZodType<any>, z.ZodType, FileKind> & { readonly own?: Own };

/** A user's own step as its file has it: absolute path, hash of its text, and the default export. */
export type Own<Code = OwnCode> = { readonly file: string; readonly version: string; readonly code: Code };

export const define = <I extends z.ZodType, O extends z.ZodType, K extends FileKind>(
  definition: Definition<I, O, K>,
): Definition<I, O, K> => definition;
