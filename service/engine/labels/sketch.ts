import { createRandom } from '../projection/random.ts';

/** Numbers of a sketch: distances between vectors of unit length keep to about a tenth of what they were. */
const SKETCH = 128;

/** Numbers that each vector has once it was sketched. */
export const sketchDims = (dims: number): number => Math.min(dims, SKETCH);

/**
 * Vectors (n × dims) scaled to length 1 and, where they are wide, brought down to fewer numbers: each number is added to one of
 * them with a sign, by lot. One pass over a vector, where a projection would need one for each number that is left.
 */
export const sketched = (vectors: Float32Array, dims: number): Float32Array => {
  const width = sketchDims(dims);
  const random = createRandom(`sketch ${dims}`);
  const place = Uint16Array.from({ length: dims }, (_, at) => (dims === width ? at : Math.floor(random() * width)));
  const sign = Float32Array.from({ length: dims }, () => (dims === width || random() < 0.5 ? 1 : -1));
  const rows = vectors.length / dims;
  const out = new Float32Array(rows * width);
  for (let row = 0; row < rows; row += 1) {
    let squares = 0;
    for (let at = 0; at < dims; at += 1) squares += vectors[row * dims + at]! ** 2;
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let at = 0; at < dims; at += 1) out[row * width + place[at]!]! += sign[at]! * scale * vectors[row * dims + at]!;
  }
  return out;
};
