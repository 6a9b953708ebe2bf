import type { z } from 'zod';
import type { DeclaredError } from './declared-error.ts';
import type { Deprecated } from './deprecated.ts';
import type { LimitClass } from './limits.ts';

import type { Page } from './page.ts';
import type { QueryTypes } from './query.ts';

/**
 * What a second sending of the same call does, and so how a lost answer is handled.
 * - `safe`: a read; send again.
 * - `idempotent`: repeatable by value; send again.
 * - `reconcile`: look the effect up before anything is sent again.
 * - `never`: nothing can be looked up; a person decides.
 */
export type EffectClass = 'safe' | 'idempotent' | 'reconcile' | 'never';

/** May a call be sent again without a look at what became of the first? */
export const isRepeatable = ({ effect }: { readonly effect: EffectClass }): boolean => effect === 'safe' || effect === 'idempotent';

/** May fields of the body be files? */
export const takesFiles = ({ body }: { readonly body?: Endpoint['body'] }): boolean => body === 'multipart' || body === 'form';

/** One operation of one API, as data. Client, local service, `call`, `plan` and the tables in the docs are derived from it. */
export type Endpoint<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType, F extends EffectClass = EffectClass> = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `{name}` segments are fields of the input. */
  readonly path: string;
  readonly summary: string;
  readonly effect: F;
  /** Cannot be taken back: needs an approval before it is sent from a pipeline. */
  readonly irreversible?: true;
  /** Where the text calls the operation deprecated. */
  readonly deprecated?: Deprecated;
  /** Paths by which the same is reached by the same method, and which the text calls deprecated: `path` replaces them. */
  readonly former?: readonly string[];
  readonly limit: LimitClass;
  /** What a call is charged by, beside its place in the limit. */
  readonly cost?: string;
  /** Scopes that let a key send it: any one of them is enough. Absent: every key may. */
  readonly scopes?: readonly string[];
  /** Success status of the text; a client takes any 2xx, but a 204 only where it is this one. */
  readonly status: 200 | 201 | 202 | 204;
  /** `false` where the text lists no security requirement; `public` where whoever has no key reads what is public (assumption `public-reads`). */
  readonly auth?: false | 'public';
  /** Input fields sent in the query, and how each is written there. Of a GET: every field outside the path. */
  readonly query?: QueryTypes;
  /**
   * How the fields that are neither in the path nor in the query are sent. Default: `json`.
   * `bytes`, `stream`: the input's `body`, a Uint8Array or an AsyncIterable of them, is the request body.
   * `multipart`: a `Blob` is a file part, all else a text part; a list is a part for each of its members.
   * `form`: the one where a field holds a `Blob`, and `urlencoded` where none does.
   */
  readonly body?: 'json' | 'bytes' | 'stream' | 'multipart' | 'urlencoded' | 'form';
  /** Of a form: its file part of this name may be larger than memory, and has so many bytes at most. */
  readonly spooled?: { readonly field: string; readonly bytes: number };
  /** The field that is the whole body by itself, where it is no object. */
  readonly wholeBody?: string;
  /**
   * Default: `json`. `json or bytes`: by the content type of the answer. `stream`: an AsyncIterable of Uint8Array, read
   * as it comes. `nothing`: of what comes only a page of HTML is refused, and the output is made of null.
   */
  readonly answer?: 'json' | 'bytes' | 'json or bytes' | 'stream' | 'nothing';
  /** Largest answer that is read, in bytes after decompression. Default: 64 MiB. */
  readonly answerBytes?: number;
  /** The field that the answer is wrapped in: output is what it holds. */
  readonly envelope?: 'data';
  /** The answer is a list, or an object that holds one under this name: its members can be handed over as they come. */
  readonly list?: { readonly under: string; readonly member: z.ZodType };
  /** How a list of the answer goes on. */
  readonly page?: Page;
  /** Failures that mean something of their own. */
  readonly errors?: readonly DeclaredError<I, O>[];
  /** Further refusals of its own, which ask for nothing but another request: what each status says. */
  readonly refuses?: Readonly<Record<number, string>>;
  /** Fields of the output that are secrets: their values go to a sink, and only a reference stands in the result. */
  readonly secrets?: readonly string[];
  /** Fields of the path that are secrets: no log holds them. */
  readonly concealed?: readonly string[];
  readonly input: I;
  readonly output: O;
} & LookupOf<I, O, F>;

/** A look-up where the effect class asks for one, and nowhere else. */
type LookupOf<I extends z.ZodType, O extends z.ZodType, F extends EffectClass> = F extends 'reconcile'
  ? { readonly lookup: Lookup<I, O> }
  : { readonly lookup?: never };

/** Sends another operation of the same API while an effect is looked up: one attempt, errors as they come. */
export type Ask = <E extends Endpoint>(endpoint: E, input: z.input<E['input']>) => Promise<z.output<E['output']>>;

/** What a look-up found: the answer that the call would have given, no effect, or why neither can be known. */
export type Found<O> = { readonly answer: O } | 'absent' | { readonly unknown: string };

/** How the effect of a call whose answer was lost is found at the service. */
export type Lookup<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  /**
   * Ids of what could be mistaken for the effect, or of what it will show by, asked before anything is sent and kept with the
   * intent: what was there before the call is not its effect, and what was not there cannot be gone.
   */
  before?(input: z.output<I>, ask: Ask): Promise<readonly string[]>;
  find(input: z.output<I>, before: readonly string[], ask: Ask): Promise<Found<z.output<O>>>;
  /** Ids of all that may be the effect, asked when the call was answered: two where something on the way has delivered it twice. */
  made?(input: z.output<I>, before: readonly string[], ask: Ask): Promise<readonly string[]>;
};

/** Resources of one API: `resource.method` is the operation's name within it. */
export type Api = Readonly<Record<string, Readonly<Record<string, Endpoint>>>>;

export const defineEndpoint = <I extends z.ZodType, O extends z.ZodType, F extends EffectClass>(
  endpoint: Endpoint<I, O, F>,
): Endpoint<I, O, F> => endpoint;

/** Names in the path template, in order. */
export const pathFields = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
