import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';

type Raster = {
  image: { data: Uint8ClampedArray };
  clear(pixel: number): void;
  inSight(points: object): number;
  shade(points: object): void;
};

/** The part of a map's page that paints, as a browser runs it. */
const createRaster = (width: number, height: number): Raster => {
  const text = readFileSync(new URL('../../service/pages/browser/raster.js', import.meta.url), 'utf8').replaceAll(/^export /gm, '');
  class ImageData {
    data: Uint8ClampedArray;
    constructor(wide: number, high: number) {
      this.data = new Uint8ClampedArray(wide * high * 4);
    }
  }
  return runInNewContext(`${text}; createRaster(${width}, ${height})`, {
    ImageData,
    Uint32Array,
    Float32Array,
    Int32Array,
    Math,
  }) as Raster;
};

const black = 0xff000000;
const white = 0xffffffff;

test('a crowd is shaded by how many points a pixel has, and what is out of sight is neither counted nor drawn', () => {
  const raster = createRaster(4, 1);
  raster.clear(white);
  // Pixel 0: one point; pixel 1: a hundred; pixel 2: none; one point beyond the edge.
  const places = [-1.5, ...Array.from({ length: 100 }, () => -0.5), 9];
  const points = {
    x: Float32Array.from(places),
    y: new Float32Array(places.length).fill(-0.2),
    view: { x: 0, y: 0, scale: 1 },
    shown: new Uint8Array(places.length).fill(1),
    only: 1,
    colorOf: () => black,
  };
  expect(raster.inSight(points)).toBe(101);
  raster.shade(points);
  const grey = [0, 1, 2, 3].map((pixel) => raster.image.data[pixel * 4]!);
  expect(grey[1]).toBe(0);
  expect(grey[0]).toBeGreaterThan(100);
  expect(grey[0]).toBeLessThan(255);
  expect(grey.slice(2)).toEqual([255, 255]);
});
