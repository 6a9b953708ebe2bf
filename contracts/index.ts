import type { Endpoint } from './endpoint.ts';
import { maps } from './maps/index.ts';

/** Both APIs by service; an operation's full name is `service.resource.method`. */
export const apis = { maps } as const;

export type Service = keyof typeof apis;

type Names<A> = {
  [S in keyof A & string]: { [R in keyof A[S] & string]: `${S}.${R}.${keyof A[S][R] & string}` }[keyof A[S] & string];
}[keyof A & string];

/** `maps.tags.update` and so on: the name used by `call`, `api.call`, step definitions and faults. */
export type OperationName = Names<typeof apis>;

/** Every operation by its full name. */
export const operations = Object.fromEntries(
  Object.entries(apis).flatMap(([service, api]) =>
    Object.entries(api).flatMap(([resource, methods]) =>
      Object.entries(methods).map(([method, endpoint]) => [`${service}.${resource}.${method}`, endpoint]),
    ),
  ),
) as Readonly<Record<OperationName, Endpoint>>;

export const isOperation = (name: string): name is OperationName => Object.hasOwn(operations, name);

/** Which service an operation belongs to. */
export const serviceOf = (operation: OperationName): Service => operation.split('.')[0] as Service;
