import type { Mutant } from './mutant.ts';

const test = 'test/service/resources.test.ts';
const algorithms = 'test/service/algorithms.test.ts';

/** Resources that stand on each other, and what they are made by. */
export const resources: readonly Mutant[] = [
  {
    file: 'service/engine/resources/plan.ts',
    find: 'if (found !== bare(type)) throw',
    replace: 'if (found === undefined) throw',
    rule: 'a dependency is of the kind that was said',
    test,
  },
  {
    file: 'service/engine/resources/plan.ts',
    find: 'if (first !== undefined) {',
    replace: "if (first === '') {",
    rule: 'resources that stand on themselves are refused',
    test,
  },
  {
    file: 'service/engine/resources/plan.ts',
    find: 'if (!upstreamOf(nodes, node, roles))',
    replace: 'if (roles.length === 0)',
    rule: 'a resource that stands on nothing that it needs is refused',
    test,
  },
  {
    file: 'service/engine/resources/resources.ts',
    find: " && each.upstream.every((id) => status.get(id) === 'COMPLETED'),",
    replace: " && each.upstream.every((id) => status.get(id) !== 'BUILDING'),",
    rule: 'a resource is built when all that it stands on is there',
    test,
  },
  {
    file: 'service/app.ts',
    find: '  resources.resume();\n',
    replace: '',
    rule: 'resources that a kill left are built',
    test,
  },
  {
    file: 'service/engine/resources/resources.ts',
    find: "(each.status === 'WAITING' || each.status === 'BUILDING')",
    replace: "each.status === 'WAITING'",
    rule: 'a resource that was being built when the service was killed is built anew',
    test,
  },
  {
    file: 'service/engine/resources/make-vectors.ts',
    find: 'if (missing !== undefined) throw new Unmakeable(`${JSON.stringify(missing)} is not a column of this dataset`);',
    replace: '',
    rule: 'a checkpoint of a column that is not there fails',
    test,
  },
  {
    file: 'service/engine/algorithms/places.ts',
    find: 'fitAxes(vectors, dims, { count: Math.min(count, dims), ...exact })',
    replace: 'fitAxes(vectors, dims, { count: Math.min(count, dims), iterations: 1 })',
    rule: 'principal components are uncorrelated',
    test: algorithms,
  },
  {
    file: 'service/engine/algorithms/hdbscan.ts',
    find: 'if (large[0] && large[1]) {',
    replace: 'if (large[0] || large[1]) {',
    rule: 'points that fall out of a cluster are no cluster',
    test: algorithms,
  },
  {
    file: 'service/engine/algorithms/tsne.ts',
    find: 'factor * p[i * n + j]! - q[i * n + j]! / total',
    replace: 'factor * q[i * n + j]! - p[i * n + j]! / total',
    rule: 't-SNE leaves together what is near',
    test: algorithms,
  },
  {
    file: 'service/engine/algorithms/hnsw.ts',
    find: 'back.push(point);',
    replace: '',
    rule: 'the points of a graph are reached from their neighbours',
    test: algorithms,
  },
];
