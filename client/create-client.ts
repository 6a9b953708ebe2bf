import type { Api } from '../contracts/endpoint.ts';
import type { CallOptions, Client } from './client.ts';
import { send, type Transport } from './send.ts';

/** A typed client of an API. `service` is the first part of operation names in errors: `maps`. */
export function createClient<A extends Api>(service: string, api: A, transport: Transport): Client<A> {
  const methods = Object.entries(api).map(([resource, endpoints]) => [
    resource,
    Object.fromEntries(
      Object.entries(endpoints).map(([method, endpoint]) => [
        method,
        (input: unknown, options?: CallOptions) => send(`${service}.${resource}.${method}`, endpoint, input, transport, options),
      ]),
    ),
  ]);
  return Object.fromEntries(methods) as Client<A>;
}
