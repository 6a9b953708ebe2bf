import { tileSize } from '../../../contracts/maps/tile-sizes.ts';
import { createRandom } from './random.ts';

/** Deepest level whose numbers fit into 32 bits; equal points that no level can part stay there, however many. */
const DEEPEST = 15;

export type Tile = { z: number; x: number; y: number };

/** Number of a tile: tiles of all levels above it, then row by row. */
export const tixOf = ({ z, x, y }: Tile): number => (4 ** z - 1) / 3 + y * 2 ** z + x;

/** The tile of a number; inverse of `tixOf`. */
export const tileOf = (tix: number): Tile => {
  let z = 0;
  while ((4 ** (z + 1) - 1) / 3 <= tix) z++;
  const rest = tix - (4 ** z - 1) / 3;
  return { z, x: rest % 2 ** z, y: Math.floor(rest / 2 ** z) };
};

/** The square that a tile covers of [-1, 1]². */
export const extentOf = ({ z, x, y }: Tile): { x: [number, number]; y: [number, number] } => {
  const size = 2 / 2 ** z;
  return { x: [x * size - 1, (x + 1) * size - 1], y: [y * size - 1, (y + 1) * size - 1] };
};

/** Points in an order that makes the upper tiles a fair picture of all. */
const shuffled = (n: number): Uint32Array => {
  const random = createRandom('tiles');
  const order = Uint32Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
};

/** Points that are dealt between two reports. */
const REPORTED = 250_000;

/**
 * Puts each of n points (n × 2 numbers in [-1, 1]) into one tile of a quadtree: `tix` its tile, `rix` its row there, from
 * 0 in the order of the points. A tile fills up before its children get points. `report` gets the share that is dealt.
 */
export const assignTiles = (xy: Float32Array, report?: (share: number) => void): { tix: Uint32Array; rix: Uint32Array } => {
  const n = xy.length / 2;
  const tix = new Uint32Array(n);
  const filled = new Map<number, number>();
  let dealt = 0;
  for (const point of shuffled(n)) {
    if (++dealt % REPORTED === 0) report?.(dealt / n);
    const px = xy[point * 2]!;
    const py = xy[point * 2 + 1]!;
    const tile = { z: 0, x: 0, y: 0 };
    // The middle is compared, not computed from the point, so that rounding cannot put a point beside its tile.
    for (let midX = 0, midY = 0, half = 0.5; ; half /= 2) {
      const number = tixOf(tile);
      const count = filled.get(number) ?? 0;
      if (tile.z === DEEPEST || count < tileSize(tile.z)) {
        filled.set(number, count + 1);
        tix[point] = number;
        break;
      }
      const [right, upper] = [px >= midX ? 1 : 0, py >= midY ? 1 : 0];
      tile.z++;
      tile.x = tile.x * 2 + right;
      tile.y = tile.y * 2 + upper;
      midX += right ? half : -half;
      midY += upper ? half : -half;
    }
  }
  const rix = new Uint32Array(n);
  const next = new Map<number, number>();
  for (let i = 0; i < n; i++) {
    const row = next.get(tix[i]!) ?? 0;
    rix[i] = row;
    next.set(tix[i]!, row + 1);
  }
  return { tix, rix };
};
