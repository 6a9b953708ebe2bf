/**
 * Points that a tile has before those below it get any: the smallest sizes of the public tile writer, by which a viewer's first screen,
 * the root with the four tiles below it, stays under 500 kB. Level 1 lies between the root and all others.
 */
const root = 1_000;
const other = 50_000;
const sizes = [root, Math.floor(Math.sqrt(root * other))] as const;

/** Points of a tile of a level. */
export const tileSize = (level: number): number => sizes[level] ?? other;

/** Tiles of so many points at most: each that is full has four below it, and those of level 1 are full first. */
export function mostTiles(points: number): number {
  const below = points - root;
  if (below <= 0) return 1;
  const first = Math.min(4, Math.floor(below / sizes[1]));
  const deeper = Math.floor((below - first * sizes[1]) / other);
  // A tile below another has a point or more.
  return 1 + Math.min(below, 4 * (1 + first + deeper));
}
