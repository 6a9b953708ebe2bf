import { createHash } from 'node:crypto';

/** Uniform numbers in [0, 1) that depend on the seed alone (sfc32 over a SHA-256 of the seed). */
export const createRandom = (seed: string): (() => number) => {
  const digest = createHash('sha256').update(seed).digest();
  let [a, b, c, d] = [0, 4, 8, 12].map((at) => digest.readInt32LE(at)) as [number, number, number, number];
  return () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 4_294_967_296;
  };
};

/** Coordinates of a map without text: n × 2 numbers in [-1, 1), the same for the same seed. */
export const randomCoordinates = (n: number, seed: string): Float32Array => {
  const random = createRandom(seed);
  const xy = new Float32Array(n * 2);
  for (let i = 0; i < xy.length; i++) xy[i] = random() * 2 - 1;
  return xy;
};
