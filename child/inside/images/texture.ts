import { balanced, cellShares } from './cells.ts';

const CELLS = 2;

/** A neighbour is lighter by at least so much: less is what an encoder leaves behind. */
const STEP = 0.02;

/** The eight neighbours of a pixel, around it. */
const around = [
  [-1, -1],
  [0, -1],
  [1, -1],
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 1],
  [-1, 0],
] as const;

/** Kinds of patterns: how many neighbours are lighter where they are one run (0 to 8), else 9. */
const KINDS = 10;
const kindOf = Uint8Array.from({ length: 256 }, (_, bits) => {
  const turns = ((bits ^ ((bits >> 1) | ((bits & 1) << 7))) >>> 0).toString(2).replaceAll('0', '').length;
  return turns > 2 ? KINDS - 1 : bits.toString(2).replaceAll('0', '').length;
});

/** Which small patterns stand where, whichever way they are turned: local binary patterns (Ojala 2002) by 2 × 2 cells. */
export function patternGrid(l: Float32Array, side: number): Float32Array {
  const shares = cellShares(side, CELLS);
  const numbers = new Float32Array(CELLS * CELLS * KINDS);
  const steps = around.map(([dx, dy]) => dy * side + dx);
  for (let y = 1; y < side - 1; y++)
    for (let x = 1; x < side - 1; x++) {
      const at = y * side + x;
      let bits = 0;
      for (const [bit, step] of steps.entries()) if (l[at + step]! > l[at]! + STEP) bits |= 1 << bit;
      for (const row of shares[y]!)
        for (const column of shares[x]!)
          numbers[(row.cell * CELLS + column.cell) * KINDS + kindOf[bits]!]! += (row.weight * column.weight) / (side * side);
    }
  return balanced(numbers, 0);
}
