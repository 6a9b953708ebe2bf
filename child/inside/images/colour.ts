import { balanced, cellShares, scaled } from './cells.ts';
import { SIDE, type Planes } from './planes.ts';

const CELLS = 4;
const shares = cellShares(SIDE, CELLS);

/** Colour axes reach to about 0.3, lightness to 1. */
const CHROMA = 2.5;

/** Where which colours are: mean lightness, mean colour and contrast of 4 × 4 cells. */
export function colourGrid({ l, a, b }: Planes): Float32Array {
  const count = CELLS * CELLS;
  const sums = Array.from({ length: count }, () => ({ weight: 0, l: 0, a: 0, b: 0, squares: 0 }));
  for (let y = 0; y < SIDE; y++)
    for (let x = 0; x < SIDE; x++) {
      const at = y * SIDE + x;
      for (const row of shares[y]!)
        for (const column of shares[x]!) {
          const weight = row.weight * column.weight;
          const sum = sums[row.cell * CELLS + column.cell]!;
          sum.weight += weight;
          sum.l += weight * l[at]!;
          sum.a += weight * a[at]!;
          sum.b += weight * b[at]!;
          sum.squares += weight * l[at]! * l[at]!;
        }
    }
  const numbers = new Float32Array(count * 4);
  for (const [cell, sum] of sums.entries()) {
    const mean = sum.l / sum.weight;
    numbers[cell * 4] = mean - 0.6;
    numbers[cell * 4 + 1] = (sum.a / sum.weight) * CHROMA;
    numbers[cell * 4 + 2] = (sum.b / sum.weight) * CHROMA;
    numbers[cell * 4 + 3] = Math.sqrt(Math.max(0, sum.squares / sum.weight - mean * mean)) - 0.1;
  }
  return scaled(numbers, 0.2);
}

const LIGHT = 5;
const AXIS = 4;
const REACH = 0.2;

/** Along one axis: the two nearest of `bins` values between `low` and `high`, and how near each is. */
const near = (value: number, low: number, high: number, bins: number): [bin: number, weight: number][] => {
  const place = Math.min(bins - 1, Math.max(0, ((value - low) / (high - low)) * (bins - 1)));
  const first = Math.min(bins - 2, Math.floor(place));
  return [
    [first, first + 1 - place],
    [first + 1, place - first],
  ];
};

/** How much of the image has which colour, wherever it is. */
export function colourHistogram({ l, a, b }: Planes): Float32Array {
  const numbers = new Float32Array(LIGHT * AXIS * AXIS);
  for (let at = 0; at < l.length; at++)
    for (const [i, wi] of near(l[at]!, 0, 1, LIGHT))
      for (const [j, wj] of near(a[at]!, -REACH, REACH, AXIS))
        for (const [k, wk] of near(b[at]!, -REACH, REACH, AXIS)) numbers[(i * AXIS + j) * AXIS + k]! += (wi * wj * wk) / l.length;
  return balanced(numbers, 0);
}
