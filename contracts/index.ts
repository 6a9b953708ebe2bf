import type { Api, Endpoint } from './endpoint.ts';
import { instanceService } from './instance/index.ts';
import { mapsService } from './maps/index.ts';
import type { ServiceContract } from './service.ts';

/** Every API by the first part of its operations' names. Whatever is done for each API is derived from this table. */
export const services = { maps: mapsService, instance: instanceService } as const satisfies Record<string, ServiceContract>;

export type Service = keyof typeof services;

/** The operations of each service, by resource: an operation's full name is `service.resource.method`. */
export type Apis = { readonly [S in Service]: (typeof services)[S]['api'] };

export const serviceNames = Object.keys(services) as readonly Service[];

/** `maps.tags.update` and so on: the name used by `call`, `api.call`, step definitions and faults. */
export type OperationName = keyof Operations;

/** Every operation's contract by its full name. */
export type Operations = Flat<Apis>;

type Flat<A extends Readonly<Record<string, Api>>> = {
  [N in Names<A>]: N extends `${infer S}.${infer R}.${infer M}` ? A[S][R][M] : never;
};

type Names<A> = {
  [S in keyof A & string]: { [R in keyof A[S] & string]: `${S}.${R}.${keyof A[S][R] & string}` }[keyof A[S] & string];
}[keyof A & string];

/** Every operation by its full name. */
export const operations = Object.fromEntries(
  Object.entries(services).flatMap(([service, { api }]) =>
    Object.entries(api).flatMap(([resource, methods]) =>
      Object.entries(methods).map(([method, endpoint]) => [`${service}.${resource}.${method}`, endpoint]),
    ),
  ),
) as { readonly [N in OperationName]: Operations[N] };

const names = new Map<Endpoint, OperationName>(Object.entries(operations).map(([name, endpoint]) => [endpoint, name as OperationName]));

export const isOperation = (name: string): name is OperationName => Object.hasOwn(operations, name);

/** The full name of an operation of the table; throws for any other. */
export const nameOf = (endpoint: Endpoint): OperationName => {
  const name = names.get(endpoint);
  if (name === undefined) throw new Error(`no such operation: ${endpoint.method} ${endpoint.path}`);
  return name;
};

/** Which service an operation belongs to. */
export const serviceOf = (operation: `${Service}.${string}`): Service => operation.split('.')[0] as Service;
