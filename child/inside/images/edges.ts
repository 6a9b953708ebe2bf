import { balanced, cellShares } from './cells.ts';

const CELLS = 4;
const DIRECTIONS = 8;

/** Steps of lightness below it are what an encoder leaves behind, and no edge. */
const FAINT = 0.015;

/** Strength and direction (0 to π) of the edge at each inner pixel; the strength less what is faint. */
function* edges(l: Float32Array, side: number): Generator<{ x: number; y: number; strength: number; direction: number }> {
  for (let y = 1; y < side - 1; y++)
    for (let x = 1; x < side - 1; x++) {
      const at = y * side + x;
      const dx = (l[at + 1]! - l[at - 1]!) / 2;
      const dy = (l[at + side]! - l[at - side]!) / 2;
      const strength = Math.hypot(dx, dy) - FAINT;
      if (strength > 0) yield { x, y, strength, direction: (Math.atan2(dy, dx) + Math.PI) % Math.PI };
    }
}

/** Where edges run in which direction, by 4 × 4 cells. */
export function edgeGrid(l: Float32Array, side: number): Float32Array {
  const shares = cellShares(side, CELLS);
  const numbers = new Float32Array(CELLS * CELLS * DIRECTIONS);
  for (const { x, y, strength, direction } of edges(l, side)) {
    const place = (direction / Math.PI) * DIRECTIONS;
    const low = Math.floor(place) % DIRECTIONS;
    const part = place - Math.floor(place);
    for (const row of shares[y]!)
      for (const column of shares[x]!) {
        const weight = strength * row.weight * column.weight;
        const cell = (row.cell * CELLS + column.cell) * DIRECTIONS;
        numbers[cell + low]! += weight * (1 - part);
        numbers[cell + ((low + 1) % DIRECTIONS)]! += weight * part;
      }
  }
  const pixels = side * side;
  for (let i = 0; i < numbers.length; i++) numbers[i]! /= pixels;
  return balanced(numbers, 0.02);
}

const STRENGTHS = 16;
const STRONGEST = 0.4;

/** How many pixels have edges of which strength, finely among the faint and coarsely among the strong. */
export function edgeStrengths(l: Float32Array, side: number): Float32Array {
  const numbers = new Float32Array(STRENGTHS);
  const pixels = (side - 2) ** 2;
  let flat = pixels;
  for (const { strength } of edges(l, side)) {
    flat--;
    const place = Math.sqrt(Math.min(1, strength / STRONGEST)) * (STRENGTHS - 1);
    const low = Math.min(STRENGTHS - 2, Math.floor(place));
    numbers[low]! += (low + 1 - place) / pixels;
    numbers[low + 1]! += (place - low) / pixels;
  }
  numbers[0]! += flat / pixels;
  return balanced(numbers, 0);
}
