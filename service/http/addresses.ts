import { insteadOf, type Deprecated } from '../../contracts/deprecated.ts';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { operations, serviceOf, services, type OperationName, type Service } from '../../contracts/index.ts';
import type { QueryType } from '../../contracts/query.ts';
import { slugOf } from '../core/records/slugs.ts';

/** A query parameter of an address: how it is written, and the field of the input that it is. */
export type Parameter = { type: QueryType; field: string };

/** One address of one operation: the contract's own, or another that the text or public clients use. */
export type Address = {
  method: string;
  path: string;
  operation: OperationName;
  query: Readonly<Record<string, Parameter>>;
  /** Where the text calls the operation, or this address of it, deprecated. */
  deprecated?: Deprecated | undefined;
};

/** What an API has of addresses beside those of its contracts. */
export type FurtherAddresses = {
  further: readonly Address[];
  /** Another path for the same. */
  mirror: (path: string) => string | undefined;
};

const parametersOf = ({ query = {} }: Endpoint): Address['query'] =>
  Object.fromEntries(Object.entries(query).map(([field, type]) => [field, { type, field }]));

/** The address that the contract of an operation gives it. */
export const contractAddress = (operation: OperationName): Address => {
  const endpoint: Endpoint = operations[operation];
  return { method: endpoint.method, path: endpoint.path, operation, query: parametersOf(endpoint), deprecated: endpoint.deprecated };
};

/** The deprecated addresses of an API's operations. */
export const formerAddresses = (service: Service): Address[] =>
  (Object.entries(operations) as [OperationName, Endpoint][])
    .filter(([operation]) => serviceOf(operation) === service)
    .flatMap(([operation, endpoint]) =>
      (endpoint.former ?? []).map((path) => {
        const query = Object.fromEntries(Object.entries(parametersOf(endpoint)).filter(([name]) => !path.includes(`{${name}}`)));
        return { method: endpoint.method, path, operation, query, deprecated: { instead: insteadOf(endpoint, path) } };
      }),
    );

const segments = (path: string): string[] => path.split('/').filter(Boolean);

/** Fixed segments before parametrised ones, so that `/{a}/{b}` does not swallow `/x/y`. */
const fixedFirst = (a: { path: string }, b: { path: string }): number => {
  const left = segments(a.path);
  const right = segments(b.path);
  for (const [at, segment] of left.entries()) {
    const order = Number(segment.startsWith('{')) - Number((right[at] ?? '').startsWith('{'));
    if (order !== 0) return order;
  }
  return left.length - right.length;
};

/** Every route, derived from the contracts, in the order in which it must be matched. */
export const routesOf = (beside: Readonly<Record<keyof typeof services, FurtherAddresses>>): readonly Address[] => {
  const own = (Object.keys(operations) as OperationName[]).map(contractAddress);
  const apis = Object.values(beside);
  return [...own, ...apis.flatMap(({ further }) => further)]
    .flatMap((route: Address) => [
      route,
      ...apis.flatMap(({ mirror }) => {
        const path = mirror(route.path);
        return path === undefined ? [] : [{ ...route, path }];
      }),
    ])
    .toSorted(fixedFirst);
};

/** A contract's path as Hono writes it, without the trailing slash (both forms are served). */
export const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1').replace(/\/$/, '');

const hex = '[0-9a-fA-F]';
/** An id as a pattern of Hono, which takes no braces in one. */
const idPattern = [8, 4, 4, 4, 12].map((count) => hex.repeat(count)).join('-');

/** Whether a fixed segment of an address may be a name at the same place of another one of the method, which has no fixed segment there. */
const hides = (route: Address, other: Address): boolean => {
  if (other.method !== route.method || other.operation === route.operation) return false;
  const [own, others] = [segments(route.path), segments(other.path)];
  return (
    own.length === others.length &&
    others.every((segment, at) => segment.startsWith('{') || segment === own[at]) &&
    own.some((segment, at) => segment !== others[at] && !segment.startsWith('{') && slugOf(segment) === segment)
  );
};

/** A route as it is matched: where its fixed segments may be names of another route, its ids are ids, so that it hides nothing from that. */
export const matchedPath = (route: Address, routes: readonly Address[]): string =>
  routes.some((other) => hides(route, other))
    ? honoPath(route.path).replaceAll(/:\w+_id(?=\/|$)/g, `$&{${idPattern}}`)
    : honoPath(route.path);
