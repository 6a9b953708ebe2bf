import { tableFromIPC, type Table } from 'apache-arrow';
import { line, type Proof } from './proof.ts';
import { createTiledMap } from './support-tiles.ts';

/** Points of a round; a hundred are a million. */
const perRound = 10_000;

/** Bytes of a viewer's first screen: what it loads before a person has moved the map. */
const most = 500_000;

/** Columns and rows of the cells in which a screen is compared with the whole map. */
const grid = 16;
/** Of a cell with so large a share of all points the first screen, which has some 29,000, has to show some. */
const crowded = 1 / 2_000;

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** Counts the points of tiles by cells of the map. */
function countCells(tiles: readonly Table[], cells = new Map<number, number>()): Map<number, number> {
  const cell = (value: number): number => Math.min(grid - 1, Math.floor(((value + 1) / 2) * grid));
  for (const tile of tiles) {
    const [x, y] = [tile.getChild('x')!.toArray() as Float32Array, tile.getChild('y')!.toArray() as Float32Array];
    for (let row = 0; row < tile.numRows; row += 1) {
      const at = cell(x[row]!) * grid + cell(y[row]!);
      cells.set(at, (cells.get(at) ?? 0) + 1);
    }
  }
  return cells;
}

const pointsOf = (tiles: readonly Table[]): number => tiles.reduce((sum, { numRows }) => sum + numRows, 0);

export const proof: Proof = {
  name: 'tiles',
  sets: ['maps'],
  rounds: 100,
  what: 'the tiles of a map of a million points as a public viewer reads them: built in how long, what the first screen weighs and shows, and every point in one tile',
  async run({ note, rounds }) {
    const points = perRound * rounds;
    await using made = await createTiledMap(points);
    note(`${points} points on a map of ${made.keys.length} tiles`);

    const opened = performance.now();
    const first = await made.screen();
    const openedMs = performance.now() - opened;
    const more = await made.screen(3);
    const root = await made.screen(1);

    const cells = new Map<number, number>();
    const numbered = new Set<bigint>();
    const began = performance.now();
    for (const key of made.keys) {
      const tile = tableFromIPC(await made.tile(key));
      countCells([tile], cells);
      for (const ix of tile.getChild('ix')!.toArray() as BigUint64Array) numbered.add(ix);
    }
    const allMs = performance.now() - began;
    const total = [...cells.values()].reduce((sum, each) => sum + each, 0);
    const crowds = [...cells.keys()].filter((cell) => cells.get(cell)! >= total * crowded);
    const unseen = (tiles: readonly Table[]): number => {
      const seen = countCells(tiles);
      return crowds.filter((cell) => !seen.has(cell)).length;
    };
    return [
      line(
        'built: from the order until the map is ready, and all of its tiles one by one',
        `${seconds(made.builtMs)}, ${seconds(allMs)}`,
        'told',
        true,
      ),
      line(
        'first screen: map, schema, manifest, the tiles of the first two levels',
        `${first.bytes} bytes in ${seconds(openedMs)}`,
        `≤ ${most}`,
        first.bytes <= most,
      ),
      line(
        'what the first screen shows: points, and parts of the map with many points without any',
        `${pointsOf(first.tiles)}, ${unseen(first.tiles)} of ${crowds.length}`,
        '> 0, 0 of some',
        pointsOf(first.tiles) > 0 && crowds.length > 0 && unseen(first.tiles) === 0,
      ),
      line(
        'points in all tiles, and numbers that they have there',
        `${total}, ${numbered.size}`,
        `${points}, ${points}`,
        total === points && numbered.size === points,
      ),
      line('control, a screen of one level more', `${more.bytes} bytes`, `> ${most}`, more.bytes > most),
      line('control, a screen of the root alone: such parts without any', unseen(root.tiles), '> 0', unseen(root.tiles) > 0),
    ];
  },
};
