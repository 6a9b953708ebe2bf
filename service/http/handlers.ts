import type { z } from 'zod';
import type { Api, Endpoint } from '../../contracts/endpoint.ts';

/** What a handler knows of its caller. */
export type CallContext = {
  /** Echoed from the request, else new. */
  requestId: string;
  /** Empty where the operation needs no key. */
  userId: string;
};

type Handler<E> =
  E extends Endpoint<infer I, infer O> ? (input: z.output<I>, context: CallContext) => z.input<O> | Promise<z.input<O>> : never;

/** One handler per operation, typed from its contract; a missing one does not compile. */
export type Handlers<A extends Api> = { [R in keyof A]: { [M in keyof A[R]]: Handler<A[R][M]> } };
