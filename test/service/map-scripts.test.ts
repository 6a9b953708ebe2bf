import fc from 'fast-check';
import { expect, test } from 'vitest';
// @ts-expect-error A script of the page: plain JavaScript.
import { createLasso, rowsWithin } from '../../service/pages/browser/lasso.js';
// @ts-expect-error A script of the page: plain JavaScript.
import { placeLabels } from '../../service/pages/browser/topics.js';
// @ts-expect-error A script of the page: plain JavaScript.
import { createView } from '../../service/pages/browser/view.js';

const square = [0, 0, 10, 0, 10, 10, 0, 10];
const within = (line: number[], x: number[], y: number[], shown = x.map(() => 1)): number[] => [
  ...rowsWithin(line, Float32Array.from(x), Float32Array.from(y), Uint8Array.from(shown)),
];

test('a line selects the points within it, of those that are shown, and none where it is too short', () => {
  expect(within(square, [5, 11, 5, -1, 9], [5, 5, 20, 5, 1])).toEqual([0, 4]);
  expect(within(square, [5, 9], [5, 1], [0, 1])).toEqual([1]);
  expect(within([0, 0, 10, 10], [5], [5])).toEqual([]);
  // A bay in the line is outside of it.
  expect(within([0, 0, 10, 0, 10, 10, 5, 2, 0, 10], [5, 1], [8, 5])).toEqual([1]);
});

test('a line that crosses itself selects the same whatever its direction', () => {
  const corner = fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 }));
  fc.assert(
    fc.property(fc.array(corner, { minLength: 3, maxLength: 12 }), (corners) => {
      const x = Array.from({ length: 400 }, (_, at) => (at % 20) + 0.37);
      const y = Array.from({ length: 400 }, (_, at) => Math.floor(at / 20) + 0.41);
      expect(within(corners.flat(), x, y)).toEqual(within(corners.toReversed().flat(), x, y));
    }),
  );
});

test('a line stays where it was drawn on the map when the map is moved', () => {
  const view = createView(Float32Array.from([0, 10]), Float32Array.from([0, 10]));
  view.resize(400, 300);
  const lasso = createLasso(view);
  lasso.add(100, 100);
  view.zoomAt(3, 20, 30);
  view.move(40, -10);
  lasso.add(100, 100);
  const [x1, y1, x2, y2] = lasso.end();
  expect(view.fromMap(x2, y2)).toMatchObject({ px: expect.closeTo(100, 6), py: expect.closeTo(100, 6) });
  expect([x1, y1]).not.toEqual([x2, y2]);
  expect(lasso.end()).toEqual([]);
});

const topic = (label: string, depth: number, points: number, x: number, y: number) => ({ label, depth, points, x, y });
const place = (topics: object[], zoom: number): string[] =>
  placeLabels(topics, {
    zoom,
    toScreen: (x: number, y: number) => ({ px: x, py: y }),
    width: 400,
    height: 300,
    line: 12,
    measure: (text: string) => text.length * 8,
  }).map(({ topic: { label } }: { topic: { label: string } }) => label);

test('labels cover no other: the shallow and the large come first, deeper ones with the zoom, those out of sight not at all', () => {
  const topics = [
    topic('small', 1, 5, 200, 100),
    topic('large', 1, 50, 204, 102),
    topic('deep', 2, 9, 100, 250),
    topic('away', 1, 99, 900, 100),
  ];
  expect(place(topics, 1)).toEqual(['large']);
  expect(place(topics, 2)).toEqual(['large', 'deep']);
});
