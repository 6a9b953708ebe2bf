import { operations } from '../../contracts/index.ts';
import type { OperationName } from '../../contracts/index.ts';

/**
 * One address of one operation. `repeated`: query fields that come several times and are read as lists under another
 * name; `defaults`: fields that are not what the contract's own address takes when they are absent.
 */
export type Route = {
  method: string;
  path: string;
  operation: OperationName;
  repeated?: Record<string, string>;
  defaults?: Record<string, string>;
};

/** Addresses that the text or public clients use beside the contract's own. */
const further: Route[] = [
  {
    method: 'GET',
    path: '/v1/project/projection/{map_id}/datums',
    operation: 'maps.data.datums',
    repeated: { qid: 'qids', columns: 'columns' },
    defaults: { response_type: 'arrow' },
  },
  { method: 'GET', path: '/v1/project/{organization_slug}/project/{project_slug}', operation: 'maps.projects.bySlug' },
];

const segments = (path: string): string[] => path.split('/').filter(Boolean);

/** Fixed segments before parametrised ones, so that `/{a}/{b}` does not swallow `/x/y`. */
const fixedFirst = (a: Route, b: Route): number => {
  const left = segments(a.path);
  const right = segments(b.path);
  for (const [at, segment] of left.entries()) {
    const order = Number(segment.startsWith('{')) - Number((right[at] ?? '').startsWith('{'));
    if (order !== 0) return order;
  }
  return left.length - right.length;
};

const mirrored = (route: Route): Route[] =>
  /^\/v1\/project(\/|$)/.test(route.path) ? [route, { ...route, path: route.path.replace('/v1/project', '/v1/dataset') }] : [route];

/** Every route, derived from the contracts, in the order in which it must be matched. */
export const routes: readonly Route[] = [
  ...Object.entries(operations).map(([operation, { method, path }]): Route => ({ method, path, operation: operation as OperationName })),
  ...further,
]
  .flatMap(mirrored)
  .toSorted(fixedFirst);

/** A contract's path as Hono writes it, without the trailing slash (both forms are served). */
export const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1').replace(/\/$/, '');
