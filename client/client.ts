import type { z } from 'zod';
import type { Api, Endpoint } from '../contracts/endpoint.ts';

export type CallOptions = {
  signal?: AbortSignal;
  /** One attempt, answer included. */
  timeoutMs?: number;
  /**
   * For an answer that is a list, or an object that holds one: called with its members as they arrive, and waited for; the
   * result then has an empty list in its place. What arrived before a failure has been handed over, and comes again with the next attempt.
   */
  onItems?: (items: unknown[]) => Promise<void>;
  /** Fields beside those of the contract, for a service that knows more than its text: sent as they are, in the place of fields of the same name. */
  extra?: Readonly<Record<string, unknown>>;
  /** Name under which a secret of the answer is kept; default: one of the operation. */
  secret?: string;
  /** Called right before a call with an effect leaves. */
  onLeaving?: () => void;
  /** Called once for a successful answer. `at`: its `Date`, epoch milliseconds by the service's clock; absent where it has none. */
  onAnswer?: (answer: { requestId: string; status: number; at?: number }) => void;
};

type Call<E> = E extends Endpoint<infer I, infer O> ? (input: z.input<I>, options?: CallOptions) => Promise<z.output<O>> : never;

/** Typed methods derived from contracts; an endpoint needs no line here. */
export type Client<A extends Api> = { [R in keyof A]: { [M in keyof A[R]]: Call<A[R][M]> } };
