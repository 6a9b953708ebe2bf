import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mostTiles } from '../../contracts/maps/tile-sizes.ts';
import { projectInThread } from '../../service/engine/projection/in-thread.ts';
import { createPlacing, fitAxes, projectVectors } from '../../service/engine/projection/project.ts';
import type { Axes } from '../../service/engine/projection/project.ts';
import { randomCoordinates } from '../../service/engine/projection/random.ts';
import { assignTiles, extentOf, tileOf, tixOf } from '../../service/engine/projection/quadtree.ts';

const coordinate = fc.oneof(fc.constantFrom(-1, -0.5, -0, 0, 0.5, 1, -1e-30, 1e-30), fc.float({ min: -1, max: 1, noNaN: true }));
const clouds = fc.oneof(
  fc.array(coordinate, { maxLength: 200 }).map((values) => Float32Array.from(values.slice(0, values.length & ~1))),
  // Past the root: points anywhere, in one corner, or all in one place.
  fc
    .record({
      n: fc.integer({ min: 1_990, max: 30_000 }),
      seed: fc.string(),
      around: fc.tuple(coordinate, coordinate),
      spread: fc.constantFrom(0, 1e-6, 0.01, 1),
    })
    .map(({ n, seed, around, spread }) =>
      randomCoordinates(n, seed).map((value, i) => Math.min(1, Math.max(-1, around[i % 2]! * (1 - spread) + value * spread))),
    ),
);

describe('tiles', () => {
  test('hold each point once, inside their extent, with dense rows in the order of the points', () => {
    fc.assert(
      fc.property(clouds, (xy) => {
        const { tix, rix } = assignTiles(xy);
        const rows = new Map<number, number>();
        for (let i = 0; i < tix.length; i++) {
          const { x, y } = extentOf(tileOf(tix[i]!));
          expect(xy[i * 2]! >= x[0] && xy[i * 2]! <= x[1] && xy[i * 2 + 1]! >= y[0] && xy[i * 2 + 1]! <= y[1]).toBe(true);
          expect(rix[i]).toBe(rows.get(tix[i]!) ?? 0);
          rows.set(tix[i]!, rix[i]! + 1);
        }
        expect([...rows.values()].reduce((sum, n) => sum + n, 0)).toBe(xy.length / 2);
        for (const [number, n] of rows) {
          const { z, x, y } = tileOf(number);
          if (z === 0) expect(n).toBe(Math.min(1_000, xy.length / 2));
          if (z === 1) expect(n).toBeLessThanOrEqual(7_071);
          // A tile has points only where its parent is full.
          if (z > 0) expect(rows.get(tixOf({ z: z - 1, x: x >> 1, y: y >> 1 }))).toBeGreaterThanOrEqual(1_000);
        }
        // As many as a plan counts on, at most.
        expect(rows.size).toBeLessThanOrEqual(mostTiles(xy.length / 2));
      }),
      { numRuns: 60 },
    );
  });

  test('are numbered as the API numbers them', () => {
    expect(tileOf(13)).toEqual({ z: 2, x: 0, y: 2 });
    expect(tixOf({ z: 2, x: 0, y: 2 })).toBe(13);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: (4 ** 16 - 1) / 3 - 1 }), (tix) => {
        const tile = tileOf(tix);
        expect(tixOf(tile)).toBe(tix);
        // z = floor(log4(3·tix + 1)), without a logarithm's rounding.
        expect(4 ** tile.z <= 3 * tix + 1 && 3 * tix + 1 < 4 ** (tile.z + 1)).toBe(true);
      }),
    );
  });

  test.each([
    [0, 1],
    [1_000, 1],
    [1_001, 2],
    [8_070, 5],
    [8_071, 9],
    [29_284, 21],
    [79_284, 25],
    [1_000_000, 97],
  ])('of %i points are %i at most', (points, tiles) => {
    expect(mostTiles(points)).toBe(tiles);
  });

  test('take 200,000 points, also where all points are equal', () => {
    for (const xy of [randomCoordinates(200_000, 'a'), new Float32Array(400_000).fill(0.3)])
      expect(assignTiles(xy).tix.length).toBe(200_000);
  });
});

/** Rows with most variance along `first`, less along `second`, a little noise elsewhere. */
const stretched = (n: number, dims: number, first: number, second: number): Float32Array => {
  const noise = randomCoordinates((n * dims) / 2, 'noise');
  return noise.map((value, i) => (i % dims === first ? value * 10 : i % dims === second ? value * 3 : value * 0.1) + 7);
};

const correlation = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  const n = a.length;
  const mean = (values: ArrayLike<number>): number => Array.from(values).reduce((sum, value) => sum + value, 0) / n;
  const [ma, mb] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    ab += (a[i]! - ma) * (b[i]! - mb);
    aa += (a[i]! - ma) ** 2;
    bb += (b[i]! - mb) ** 2;
  }
  return ab / Math.sqrt(aa * bb);
};
const columnOf = (values: Float32Array, width: number, at: number): number[] =>
  Array.from({ length: values.length / width }, (_, i) => values[i * width + at]!);

describe('a projection', () => {
  test.each([500, 12_000])('finds the two directions of largest variance among %i rows', (n) => {
    const vectors = stretched(n, 20, 13, 4);
    const xy = projectVectors(vectors, 20);
    expect(Math.abs(correlation(columnOf(xy, 2, 0), columnOf(vectors, 20, 13)))).toBeGreaterThan(0.999);
    expect(Math.abs(correlation(columnOf(xy, 2, 1), columnOf(vectors, 20, 4)))).toBeGreaterThan(0.99);
    expect(projectVectors(vectors, 20)).toEqual(xy);
  });

  test('fills the square and stays in it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.float({ min: -1e6, max: 1e6, noNaN: true }), { maxLength: 120 }),
        (dims, values) => {
          const xy = projectVectors(Float32Array.from(values.slice(0, values.length - (values.length % dims))), dims);
          expect(xy.every((value) => value >= -1 && value <= 1)).toBe(true);
        },
      ),
    );
    const xy = projectVectors(stretched(1_000, 8, 0, 1), 8);
    for (const axis of [0, 1]) expect([Math.min(...columnOf(xy, 2, axis)), Math.max(...columnOf(xy, 2, axis))]).toEqual([-1, 1]);
  });

  test('puts equal vectors in one place, and none anywhere', () => {
    expect(projectVectors(new Float32Array(30).fill(2), 3)).toEqual(new Float32Array(20));
    expect(projectVectors(new Float32Array(0), 768)).toEqual(new Float32Array(0));
    expect(() => projectVectors(new Float32Array(5), 2)).toThrow(RangeError);
  });

  test('at random depends on its seed alone', () => {
    expect(randomCoordinates(100, 'a')).toEqual(randomCoordinates(100, 'a'));
    expect(randomCoordinates(100, 'a')).not.toEqual(randomCoordinates(100, 'b'));
    const xy = randomCoordinates(10_000, 'a');
    expect(xy.every((value) => value >= -1 && value <= 1)).toBe(true);
    for (const axis of [0, 1]) expect(Math.abs(columnOf(xy, 2, axis).reduce((sum, value) => sum + value, 0) / 10_000)).toBeLessThan(0.03);
  });

  test('of later vectors keeps to the axes and the range of the first, and to its edge', () => {
    const vectors = stretched(2_000, 16, 3, 9);
    const first = createPlacing(fitAxes(vectors, 16), 2_000);
    first.place(vectors);
    const axes = JSON.parse(JSON.stringify(first.axes())) as Axes;
    const again = createPlacing(axes, 3);
    again.place(vectors.subarray(0, 32));
    again.place(vectors.subarray(0, 16).map((value, i) => (i === 3 ? value + 1_000 : value)));
    expect(again.xy().subarray(0, 4)).toEqual(first.xy().subarray(0, 4));
    expect(Math.abs(again.xy()[4]!)).toBe(1);
  });

  test('in a thread is the same, takes batches over and leaves the caller free', async () => {
    const vectors = stretched(4_000, 64, 1, 2);
    const placing = createPlacing(fitAxes(vectors, 64), 4_000);
    placing.place(vectors);
    const batches = [0, 1_000, 1_500].map((from, at, all) => vectors.slice(from * 64, (all[at + 1] ?? 4_000) * 64));
    const kept = randomCoordinates(10, 'kept');
    const order: string[] = [];
    const projecting = projectInThread({ kept, points: 4_000, from: { fit: vectors, dims: 64, umap: null } }, batches);
    const ended = projecting.then(() => order.push('projected'));
    // Had the loop been taken up, this turn of it would come after what took it.
    setImmediate(() => order.push('turn'));
    await ended;
    const { xy, tix, rix, axes } = await projecting;
    expect(xy.subarray(0, 20)).toEqual(kept);
    expect(xy.subarray(20)).toEqual(placing.xy());
    expect(axes).toEqual(placing.axes());
    expect({ tix, rix }).toEqual(assignTiles(xy));
    expect(batches.map(({ length }) => length)).toEqual([0, 0, 0]);
    expect(order).toEqual(['turn', 'projected']);

    const nothing = new Float32Array(0);
    const random = { kept: nothing, points: 50, from: { seed: 's' } };
    expect((await projectInThread(random)).xy).toEqual(randomCoordinates(50, 's'));
    expect((await projectInThread({ kept, points: 0, from: { fit: nothing, dims: 2, umap: null } })).xy).toEqual(kept);
    await expect(projectInThread({ kept, points: 3, from: { fit: new Float32Array(5), dims: 2, umap: null } }, [nothing])).rejects.toThrow(
      'not rows of 2',
    );
    await expect(projectInThread({ kept, points: 3, from: { fit: new Float32Array(4), dims: 2, umap: null } })).rejects.toThrow(
      'fewer vectors',
    );
    const stop = new AbortController();
    const stopped = projectInThread({ kept, points: 1_000_000, from: { seed: 's' } }, [], { signal: stop.signal });
    stop.abort(new Error('stopped'));
    await expect(stopped).rejects.toThrow('stopped');
  });
});
