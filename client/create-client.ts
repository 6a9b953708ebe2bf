import { serviceNames, services, type Apis, type Service } from '../contracts/index.ts';
import type { Api } from '../contracts/endpoint.ts';
import type { CallOptions, Client } from './client.ts';
import { send, type Transport } from './send.ts';

/**
 * A typed client of one service: its operations as methods, those of a resource made when it is first named. The transport is asked for
 * at each call.
 */
export function createClient<S extends Service>(service: S, transport: Transport | (() => Transport)): Client<Apis[S]> {
  const open = typeof transport === 'function' ? transport : () => transport;
  const methodsOf = (resource: string, endpoints: Api[string]): object =>
    Object.fromEntries(
      Object.entries(endpoints).map(([method, endpoint]) => [
        method,
        async (input: unknown, options?: CallOptions) => send(`${service}.${resource}.${method}`, endpoint, input, open(), options),
      ]),
    );
  const api: Api = services[service].api;
  const client = {};
  for (const [resource, endpoints] of Object.entries(api)) {
    let made: object | undefined;
    Object.defineProperty(client, resource, { enumerable: true, get: () => (made ??= methodsOf(resource, endpoints)) });
  }
  return client as Client<Apis[S]>;
}

/** A client of each service, by its name. */
export type Clients = { [S in Service]: Client<Apis[S]> };

/** Clients of all services; the transport of one is asked for only when it is called. */
export const createClients = (transportOf: (service: Service) => Transport): Clients =>
  Object.fromEntries(serviceNames.map((service) => [service, createClient(service, () => transportOf(service))])) as Clients;
