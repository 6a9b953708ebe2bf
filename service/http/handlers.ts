import type { z } from 'zod';
import type { OperationName } from '../../contracts/index.ts';
import type { fileOperation } from '../../contracts/maps/documents.ts';
import type { partOperation } from '../../contracts/maps/uploads.ts';
import type { Caller } from '../core/records/keys.ts';
import type { Api, Endpoint } from '../../contracts/endpoint.ts';

/** What can be disturbed, limited and logged: the operations, and the PUT of a part or file to a signed URL. */
export type ServedOperation = OperationName | typeof partOperation | typeof fileOperation;

/** What a handler knows of its caller. */
export type CallContext = {
  /** Echoed from the request, else new. */
  requestId: string;
  /** Empty where the operation needs no key. */
  userId: string;
  /** Organization that the key acts for; empty where the operation needs no key, and where the user is no member of it any more. */
  organizationId: string;
  /** What the key may do of what its user may, by what it is for; null: all of it. */
  keyRole: string | null;
  /** What the key is limited to; absent: to nothing but what its user may do. */
  keyTarget?: Caller['target'];
  /** The session of an access token; undefined for an API key. */
  session?: string | undefined;
  scopes: readonly string[];
  /** Scheme, host and port by which the caller reached the service: what addresses handed out begin with. */
  origin: string;
  /** Headers of the answer beside its own. */
  headers: Headers;
};

type Handler<E> =
  E extends Endpoint<infer I, infer O> ? (input: z.output<I>, context: CallContext) => z.input<O> | Promise<z.input<O>> : never;

/** One handler per operation, typed from its contract; a missing one does not compile. */
export type Handlers<A extends Api> = { [R in keyof A]: { [M in keyof A[R]]: Handler<A[R][M]> } };
