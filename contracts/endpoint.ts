import type { z } from 'zod';
import type { LimitClass } from './limits.ts';

/**
 * What a second sending of the same call does, and so how a lost answer is handled.
 * - `safe`: a read; send again.
 * - `idempotent`: repeatable by value; send again.
 * - `reconcile`: look the effect up before anything is sent again.
 * - `never`: nothing can be looked up; a person decides.
 */
export type EffectClass = 'safe' | 'idempotent' | 'reconcile' | 'never';

/** One operation of one API, as data. Client, local service, `call`, `plan` and the tables in the docs are derived from it. */
export type Endpoint<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `{name}` segments are fields of the input. */
  readonly path: string;
  readonly summary: string;
  readonly effect: EffectClass;
  /** Cannot be taken back: needs an approval before it is sent from a pipeline. */
  readonly irreversible?: true;
  readonly limit: LimitClass;
  /** Success status of the text; a client takes any 2xx. */
  readonly status: 200 | 201 | 202 | 204;
  /** `false` where the text lists no security requirement. */
  readonly auth?: false;
  /** Input fields sent in the query of a request that also has a body. A GET sends every field outside the path so. */
  readonly query?: readonly string[];
  /** `bytes`: the input's `body` (a Uint8Array) is the request body. Default: the remaining fields as JSON. */
  readonly body?: 'json' | 'bytes';
  /** Answer is JSON unless `bytes`. */
  readonly answer?: 'json' | 'bytes';
  readonly input: I;
  readonly output: O;
};

/** Resources of one API: `resource.method` is the operation's name within it. */
export type Api = Readonly<Record<string, Readonly<Record<string, Endpoint>>>>;

export const defineEndpoint = <I extends z.ZodType, O extends z.ZodType>(endpoint: Endpoint<I, O>): Endpoint<I, O> => endpoint;

/** Names in the path template, in order. */
export const pathFields = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
