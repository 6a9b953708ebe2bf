import { createRandom } from '../projection/random.ts';

export type TsneOptions = { perplexity: number; exaggeration: number; exaggerated: number; iterations: number; later: number };

/** Conditional probabilities of neighbours of each point whose entropy is that of the perplexity, made symmetric; n × n. */
const affinities = (vectors: Float32Array, dims: number, perplexity: number): Float64Array => {
  const n = vectors.length / dims;
  const p = new Float64Array(n * n);
  const distances = new Float64Array(n);
  const target = Math.log(Math.min(perplexity, Math.max(1, (n - 1) / 3)));
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < n; j += 1) {
      let sum = 0;
      for (let k = 0; k < dims; k += 1) sum += (vectors[i * dims + k]! - vectors[j * dims + k]!) ** 2;
      distances[j] = sum;
    }
    let [low, high, beta] = [0, Infinity, 1];
    for (let round = 0; round < 60; round += 1) {
      let total = 0;
      let weighted = 0;
      for (let j = 0; j < n; j += 1) {
        const value = j === i ? 0 : Math.exp(-beta * distances[j]!);
        p[i * n + j] = value;
        total += value;
        weighted += value * distances[j]!;
      }
      const entropy = Math.log(total || 1e-300) + (beta * weighted) / (total || 1e-300);
      for (let j = 0; j < n; j += 1) p[i * n + j]! /= total || 1e-300;
      if (Math.abs(entropy - target) < 1e-5) break;
      if (entropy > target) [low, beta] = [beta, high === Infinity ? beta * 2 : (beta + high) / 2];
      else [high, beta] = [beta, (beta + low) / 2];
    }
  }
  const joint = new Float64Array(n * n);
  for (let i = 0; i < n; i += 1)
    for (let j = 0; j < n; j += 1) joint[i * n + j] = Math.max((p[i * n + j]! + p[j * n + i]!) / (2 * n), 1e-12);
  return joint;
};

/** Places of vectors (n × dims numbers) in two dimensions by t-SNE, exact: every pair counts. Deterministic. */
export const tsne = (
  vectors: Float32Array,
  dims: number,
  { perplexity, exaggeration, exaggerated, iterations, later }: TsneOptions,
): Float32Array => {
  const n = vectors.length / dims;
  const p = affinities(vectors, dims, perplexity);
  const random = createRandom('tsne');
  const y = Float64Array.from({ length: n * 2 }, () => (random() - 0.5) * 1e-3);
  const velocity = new Float64Array(n * 2);
  const gains = new Float64Array(n * 2).fill(1);
  const q = new Float64Array(n * n);
  const rate = Math.max(n / 12, 50);
  for (let round = 0; round < exaggerated + iterations; round += 1) {
    const factor = round < exaggerated ? exaggeration : later;
    let total = 0;
    for (let i = 0; i < n; i += 1)
      for (let j = 0; j < i; j += 1) {
        const value = 1 / (1 + (y[i * 2]! - y[j * 2]!) ** 2 + (y[i * 2 + 1]! - y[j * 2 + 1]!) ** 2);
        q[i * n + j] = q[j * n + i] = value;
        total += 2 * value;
      }
    const momentum = round < exaggerated ? 0.5 : 0.8;
    for (let i = 0; i < n; i += 1) {
      const gradient: [number, number] = [0, 0];
      for (let j = 0; j < n; j += 1) {
        if (i === j) continue;
        const pull = (factor * p[i * n + j]! - q[i * n + j]! / total) * q[i * n + j]!;
        gradient[0] += 4 * pull * (y[i * 2]! - y[j * 2]!);
        gradient[1] += 4 * pull * (y[i * 2 + 1]! - y[j * 2 + 1]!);
      }
      for (const axis of [0, 1] as const) {
        const at = i * 2 + axis;
        gains[at] = Math.max(0.01, Math.sign(gradient[axis]) === Math.sign(velocity[at]!) ? gains[at]! * 0.8 : gains[at]! + 0.2);
        velocity[at] = momentum * velocity[at]! - rate * gains[at] * gradient[axis];
      }
    }
    for (let at = 0; at < y.length; at += 1) y[at]! += velocity[at]!;
  }
  return Float32Array.from(y);
};
