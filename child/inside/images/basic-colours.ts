import type { Planes } from './planes.ts';

/** The eleven basic colour terms of English (Berlin and Kay), each by places that it has in Oklab: lightness, red-green, yellow-blue. */
const places: Readonly<Record<string, readonly (readonly [number, number, number])[]>> = {
  black: [[0.12, 0, 0]],
  grey: [
    [0.4, 0, 0],
    [0.62, 0, 0],
    [0.78, 0, 0],
  ],
  white: [[0.97, 0, 0]],
  red: [
    [0.6, 0.22, 0.12],
    [0.45, 0.17, 0.09],
  ],
  orange: [[0.74, 0.09, 0.15]],
  yellow: [
    [0.95, -0.05, 0.19],
    [0.85, 0.01, 0.17],
  ],
  green: [
    [0.52, -0.14, 0.11],
    [0.8, -0.2, 0.16],
    [0.6, -0.1, 0.04],
  ],
  blue: [
    [0.45, -0.03, -0.28],
    [0.62, -0.03, -0.16],
    [0.8, -0.05, -0.09],
    [0.3, -0.01, -0.14],
  ],
  purple: [
    [0.45, 0.12, -0.17],
    [0.6, 0.14, -0.15],
  ],
  pink: [
    [0.8, 0.12, 0.01],
    [0.7, 0.22, -0.05],
  ],
  brown: [
    [0.42, 0.06, 0.07],
    [0.55, 0.05, 0.08],
  ],
};

const all = Object.entries(places).flatMap(([name, points]) => points.map((point) => ({ name, point })));

/** The share of the image that each basic colour has: every pixel counts for the nearest place. Colours that are not there are left out. */
export function colourShares({ l, a, b }: Planes): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let i = 0; i < l.length; i++) {
    let best = Infinity;
    let name = '';
    for (const each of all) {
      const [pl, pa, pb] = each.point;
      // Lightness distinguishes colours less than their axes do.
      const distance = ((l[i]! - pl) * 0.4) ** 2 + (a[i]! - pa) ** 2 + (b[i]! - pb) ** 2;
      if (distance < best) [best, name] = [distance, each.name];
    }
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / l.length]));
}
