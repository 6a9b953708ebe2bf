import type { Terminal } from './terminal.ts';

/** One option of a verb, as `node:util` parses it and help shows it. */
export type VerbOption = {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** Placeholder of the value in help; a string option without one shows VALUE. */
  readonly value?: string;
  readonly description: string;
};

export type VerbOptions = Readonly<Record<string, VerbOption>>;

type Value<O extends VerbOption> = O['type'] extends 'boolean' ? boolean : string;

/** Parsed options: absent ones are undefined. */
export type Values<O extends VerbOptions> = {
  readonly [K in keyof O]?: O[K] extends { readonly multiple: true } ? Value<O[K]>[] : Value<O[K]>;
};

export type VerbGroup = 'Start here' | 'Pipelines' | 'Runs' | 'The APIs' | 'Your own project' | 'Processes';

/** A line of the table of verbs: enough for `portolan help`, which loads none of them. */
export type VerbEntry = {
  readonly name: string;
  readonly summary: string;
  readonly group: VerbGroup;
  readonly load: () => Promise<Verb<any>>;
};

export type VerbContext<O extends VerbOptions = VerbOptions> = {
  /** Positional arguments. */
  args: readonly string[];
  options: Values<O>;
  terminal: Terminal;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C or SIGTERM. */
  signal: AbortSignal;
  /** Every verb: what `help` shows. */
  verbs: readonly VerbEntry[];
};

/** A verb of the command line: all that help shows of it, and what it does. `run` returns the exit code. */
export type Verb<O extends VerbOptions = VerbOptions> = {
  readonly name: string;
  readonly summary: string;
  /** Positional arguments, e.g. `FILE` or `RUN STEP`; `[X]` is optional, a trailing `…` takes any number. */
  readonly usage: string;
  /** Sentences below the usage line. */
  readonly details?: string;
  readonly options: O;
  readonly examples: readonly string[];
  run(context: VerbContext<O>): Promise<number>;
};

export const defineVerb = <const O extends VerbOptions>(verb: Verb<O>): Verb<O> => verb;
