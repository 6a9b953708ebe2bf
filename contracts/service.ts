import type { z } from 'zod';
import type { Api, Endpoint } from './endpoint.ts';

/** One finding about a request: where the field stands, and what is wrong with it. */
export type FieldFinding = { loc: (string | number)[]; msg: string; type: string };

/** What a service says when it refuses: one sentence, or findings about the request; `code` is its machine code. */
export type Refusal = { status: number; detail: string | FieldFinding[]; code?: string };

/** How the error bodies of one API are written and read. */
export type ErrorCodec = {
  /** Status and body of a refusal of an operation: the status of findings is the API's own; a body that is text goes as text/plain. */
  write(refusal: Refusal, operation: string): { status: number; body: unknown };
  /** The sentence, and the machine code where there is one, of a body that was parsed as JSON; undefined for another form. */
  read(body: unknown): { detail: string; code?: string } | undefined;
};

/** A harmless read by which a key and an address are tried, and whose key it is, where the answer says so. */
export type Probe = { readonly endpoint: Endpoint; readonly input: unknown; owner: (answer: unknown) => string | undefined };

/** The probe of an operation, typed by it. */
export const defineProbe = <E extends Endpoint>(
  endpoint: E,
  input: z.input<E['input']>,
  owner: (answer: z.output<E['output']>) => string | undefined,
): Probe => ({ endpoint, input, owner: (answer) => owner(endpoint.output.parse(answer) as z.output<E['output']>) });

/** One API, as everything that is not itself the API sees it. */
export type ServiceContract = {
  /** What people call it: `maps API`. */
  readonly title: string;
  readonly api: Api;
  /** What a key of it begins with. */
  readonly keyPrefix: string;
  /** What the paths of its operations begin with, after the base URL. */
  readonly prefix: string;
  readonly errors: ErrorCodec;
  readonly probe: Probe;
};
