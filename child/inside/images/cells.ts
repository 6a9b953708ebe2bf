/** A pixel's share of one cell. */
export type Share = { cell: number; weight: number };

/** Along one axis: the two cells between whose centres a pixel lies. */
const along = (at: number, side: number, cells: number): Share[] => {
  const place = ((at + 0.5) / side) * cells - 0.5;
  const low = Math.floor(place);
  return [
    { cell: low, weight: low + 1 - place },
    { cell: low + 1, weight: place - low },
  ].filter(({ cell, weight }) => cell >= 0 && cell < cells && weight > 0);
};

/**
 * For each row and column the cells of a grid that it counts for, and how much: cells overlap by half, so that what moves a little within
 * the image moves its numbers a little. The border counts for less, which is what a crop takes.
 */
export const cellShares = (side: number, cells: number): Share[][] => Array.from({ length: side }, (_, at) => along(at, side, cells));

/** A measure whose parts are shares: their roots, less what all have in common, scaled to length 1; `floor` keeps what is next to nothing small. */
export function balanced(numbers: Float32Array, floor: number): Float32Array {
  const mean = { value: 0 };
  for (let i = 0; i < numbers.length; i++) {
    numbers[i] = Math.sqrt(Math.max(0, numbers[i]!));
    mean.value += numbers[i]! / numbers.length;
  }
  for (let i = 0; i < numbers.length; i++) numbers[i]! -= mean.value;
  return scaled(numbers, floor);
}

/** Scaled to length 1, where it is longer than `floor` by far. */
export function scaled(numbers: Float32Array, floor: number): Float32Array {
  const by = 1 / (Math.hypot(...numbers) + floor);
  for (let i = 0; i < numbers.length; i++) numbers[i]! *= by;
  return numbers;
}
