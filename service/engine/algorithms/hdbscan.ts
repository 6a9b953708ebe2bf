type Edge = { a: number; b: number; weight: number };

/** Distance to the so-many-th nearest point, the point itself among them, as in the paper. */
const coreDistances = (distance: (i: number, j: number) => number, n: number, samples: number): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => {
    const all = Float64Array.from({ length: n }, (_2, j) => distance(i, j)).toSorted();
    return all[Math.min(samples, n) - 1]!;
  });

/** The smallest tree over all points by mutual reachability (Prim). */
const spanningTree = (distance: (i: number, j: number) => number, core: Float64Array): Edge[] => {
  const n = core.length;
  const nearest = new Float64Array(n).fill(Infinity);
  const from = new Int32Array(n).fill(0);
  const inside = new Uint8Array(n);
  const edges: Edge[] = [];
  for (let at = 0, step = 1; step < n; step += 1) {
    inside[at] = 1;
    let next = -1;
    for (let j = 0; j < n; j += 1) {
      if (inside[j]) continue;
      const reach = Math.max(distance(at, j), core[at]!, core[j]!);
      if (reach < nearest[j]!) [nearest[j], from[j]] = [reach, at];
      if (next === -1 || nearest[j]! < nearest[next]!) next = j;
    }
    edges.push({ a: from[next]!, b: next, weight: nearest[next]! });
    at = next;
  }
  return edges.toSorted((x, y) => x.weight - y.weight);
};

type Cluster = { birth: number; points: number[]; stability: number; children: Cluster[] };

/**
 * Clusters of points (n × dims numbers) by HDBSCAN with excess of mass: −1 for noise, clusters from 0 on in the order of their
 * first points. The whole is no cluster unless nothing else is.
 */
export const hdbscan = (points: Float32Array, dims: number, minClusterSize: number, minSamples: number): Int32Array => {
  const n = points.length / dims;
  const labels = new Int32Array(n).fill(-1);
  if (n < minClusterSize) return labels;
  const distance = (i: number, j: number): number => {
    let sum = 0;
    for (let k = 0; k < dims; k += 1) sum += (points[i * dims + k]! - points[j * dims + k]!) ** 2;
    return Math.sqrt(sum);
  };
  const edges = spanningTree(distance, coreDistances(distance, n, minSamples));
  // The hierarchy of single linkage: node n + i joins two by edge i.
  const parent = Int32Array.from({ length: 2 * n - 1 }, (_, at) => at);
  const top = (node: number): number => {
    let at = node;
    while (parent[at] !== at) at = parent[at] = parent[parent[at]!]!;
    return at;
  };
  const joins = edges.map(({ a, b, weight }, at) => {
    const [left, right] = [top(a), top(b)];
    parent[left] = parent[right] = n + at;
    return { left, right, weight };
  });
  const pointsOf = (node: number): number[] => {
    const found: number[] = [];
    for (const open = [node]; open.length > 0;) {
      const at = open.pop()!;
      if (at < n) found.push(at);
      else open.push(joins[at - n]!.left, joins[at - n]!.right);
    }
    return found;
  };
  const root: Cluster = { birth: 0, points: pointsOf(2 * n - 2), stability: 0, children: [] };
  for (const open: [number, Cluster][] = [[2 * n - 2, root]]; open.length > 0;) {
    const [node, cluster] = open.pop()!;
    if (node < n) continue;
    const { left, right, weight } = joins[node - n]!;
    const lambda = weight > 0 ? 1 / weight : Number.MAX_SAFE_INTEGER;
    const [ofLeft, ofRight] = [pointsOf(left), pointsOf(right)];
    const large = [ofLeft, ofRight].map(({ length }) => length >= minClusterSize);
    const leaving = (count: number): void => void (cluster.stability += count * (lambda - cluster.birth));
    if (large[0] && large[1]) {
      leaving(ofLeft.length + ofRight.length);
      for (const [child, of] of [
        [left, ofLeft],
        [right, ofRight],
      ] as const) {
        const made: Cluster = { birth: lambda, points: of, stability: 0, children: [] };
        cluster.children.push(made);
        open.push([child, made]);
      }
    } else {
      // Points that fall out end their time in the cluster; what is left goes on as the same.
      if (!large[0]) leaving(ofLeft.length);
      if (!large[1]) leaving(ofRight.length);
      if (large[0]) open.push([left, cluster]);
      if (large[1]) open.push([right, cluster]);
    }
  }
  const best = (cluster: Cluster): { clusters: Cluster[]; stability: number } => {
    const below = cluster.children.map(best);
    const sum = below.reduce((total, each) => total + each.stability, 0);
    if (cluster !== root && (below.length === 0 || cluster.stability >= sum)) return { clusters: [cluster], stability: cluster.stability };
    return { clusters: below.flatMap(({ clusters }) => clusters), stability: sum };
  };
  const { clusters } = best(root);
  for (const [label, cluster] of clusters.toSorted((x, y) => Math.min(...x.points) - Math.min(...y.points)).entries())
    for (const point of cluster.points) labels[point] = label;
  return labels;
};
