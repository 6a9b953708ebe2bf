import type { ResourceKind, ResourceRequest } from '../../../contracts/maps/resources.ts';
import { HttpError } from '../../core/errors.ts';
import { kinds, type Role } from './kinds.ts';

/** A resource as far as its place among others goes. */
export type Node = { id: string; kind: ResourceKind; upstream: readonly string[] };

const invalidItem = (at: number, field: string, msg: string): HttpError =>
  new HttpError(422, [{ loc: ['body', at, field], msg, type: 'value_error' }]);

const bare = (name: string): string => name.replace(/_REQUEST$/, '');

/** All that a resource stands on, the nearest first: breadth-first, in the order in which dependencies were named. */
export function* allUpstream<N extends Node>(nodes: ReadonlyMap<string, N>, from: Node): Generator<N, void> {
  const seen = new Set<string>();
  for (const open = [...from.upstream]; open.length > 0;) {
    const id = open.shift()!;
    const node = nodes.get(id);
    if (!node || seen.has(id)) continue;
    seen.add(id);
    yield node;
    open.push(...node.upstream);
  }
}

/** The nearest resource upstream that gives a role. */
export const upstreamOf = <N extends Node>(nodes: ReadonlyMap<string, N>, from: Node, roles: readonly Role[]): N | undefined => {
  for (const node of allUpstream(nodes, from)) {
    const { gives } = kinds[node.kind];
    if (gives && roles.includes(gives)) return node;
  }
  return undefined;
};

/** Ids of the resources that stand on themselves. */
const circle = (nodes: ReadonlyMap<string, Node>): string[] => {
  const left = new Map(nodes);
  for (let found = true; found;) {
    found = false;
    for (const [id, { upstream }] of left) {
      if (upstream.some((each) => left.has(each))) continue;
      left.delete(id);
      found = true;
    }
  }
  return [...left.keys()];
};

/**
 * The resources of a request, each with the ids of those that it stands on: by the names of the request first, then as ids of
 * resources that are there. 422 for a name that is there twice or not at all, another kind than was said, a circle, and what a kind needs and does not have.
 */
export const planned = (requests: readonly ResourceRequest[], there: readonly Node[], newId: () => string): Node[] => {
  const ids = new Map<string, string>();
  for (const [at, { ref }] of requests.entries()) {
    if (ids.has(ref)) throw invalidItem(at, 'ref', `${JSON.stringify(ref)} names two resources of this request`);
    ids.set(ref, newId());
  }
  const kindOf = new Map<string, ResourceKind>([
    ...there.map(({ id, kind }) => [id, kind] as const),
    ...requests.map(({ ref, resource_type }) => [ids.get(ref)!, resource_type] as const),
  ]);
  const made = requests.map(({ ref, resource_type: kind, dependencies }, at): Node => {
    const upstream = Object.entries(dependencies).flatMap(([type, named]) =>
      [named].flat().map((name) => {
        const id = ids.get(name) ?? name;
        const found = kindOf.get(id);
        if (found === undefined)
          throw invalidItem(at, 'dependencies', `${JSON.stringify(name)} is neither a ref of this request nor a resource of this dataset`);
        if (found !== bare(type)) throw invalidItem(at, 'dependencies', `${JSON.stringify(name)} is a ${found}, not a ${bare(type)}`);
        return id;
      }),
    );
    return { id: ids.get(ref)!, kind, upstream };
  });
  const nodes = new Map([...there, ...made].map((node) => [node.id, node]));
  const [first] = circle(new Map(made.map((node) => [node.id, node])));
  if (first !== undefined) {
    const at = made.findIndex(({ id }) => id === first);
    throw invalidItem(at, 'dependencies', `${JSON.stringify(requests[at]!.ref)} stands on itself`);
  }
  for (const [at, node] of made.entries())
    for (const need of kinds[node.kind].needs) {
      const roles: readonly Role[] = typeof need === 'string' ? [need] : need;
      if (!upstreamOf(nodes, node, roles))
        throw invalidItem(at, 'dependencies', `a ${node.kind} stands on a resource that gives ${roles.join(' or ')}`);
    }
  return made;
};
