import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { chance } from './chance.ts';

type Draw = { width: number; height: number; next: () => number };

const hsl = ({ next }: Draw, from = 0, to = 360): string =>
  `hsl(${Math.round(from + next() * (to - from))} ${30 + Math.round(next() * 60)}% ${20 + Math.round(next() * 60)}%)`;
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

const svg = ({ width, height }: Draw, inside: string): Promise<Buffer> =>
  sharp(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${inside}</svg>`))
    .png()
    .toBuffer();

/** Pixels by a function of their place, each channel from 0 to 255. */
const pixels = ({ width, height }: Draw, of: (x: number, y: number) => readonly [number, number, number]): Promise<Buffer> => {
  const raw = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (const [channel, value] of of(x / width, y / height).entries())
        raw[(y * width + x) * 3 + channel] = Math.max(0, Math.min(255, value));
  return sharp(raw, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
};

/** Smooth noise: a grid of random values, with curves between them, at several sizes. */
const clouds = (next: () => number, octaves: number): ((x: number, y: number) => number) => {
  const grids = times(octaves, (octave) => ({ size: 3 * 2 ** octave, values: times((3 * 2 ** octave + 2) ** 2, next) }));
  const ease = (t: number): number => t * t * (3 - 2 * t);
  return (x, y) =>
    grids.reduce((sum, { size, values }, octave) => {
      const [gx, gy] = [x * size, y * size];
      const [ix, iy] = [Math.floor(gx), Math.floor(gy)];
      const [tx, ty] = [ease(gx - ix), ease(gy - iy)];
      const at = (dx: number, dy: number): number => values[(iy + dy) * (size + 2) + ix + dx]!;
      const top = at(0, 0) * (1 - tx) + at(1, 0) * tx;
      const low = at(0, 1) * (1 - tx) + at(1, 1) * tx;
      return sum + (top * (1 - ty) + low * ty) / 2 ** (octave + 1);
    }, 0);
};

const icons = ['ffox.png', 'gimp.png', '7zip.png'].map((name) =>
  readFileSync(new URL(`../../node_modules/vega-datasets/data/${name}`, import.meta.url)),
);

/** Kinds of pictures; each makes another one for every seed. */
const kinds: Readonly<Record<string, (draw: Draw) => Promise<Buffer>>> = {
  landscape: (draw) => {
    const { width, height, next } = draw;
    const horizon = height * (0.35 + next() * 0.4);
    const hill = (y: number, color: string): string =>
      `<path fill="${color}" d="M0 ${height} L0 ${y} ${times(9, (at) => `L${(width * (at + 1)) / 9} ${y + (next() - 0.6) * height * 0.3}`).join(' ')} L${width} ${height} Z"/>`;
    return svg(
      draw,
      `<defs><linearGradient id="s" x1="0" y1="0" x2="0" y2="1"><stop stop-color="${hsl(draw, 180, 260)}"/><stop offset="1" stop-color="${hsl(draw, 0, 60)}"/></linearGradient></defs>
<rect width="100%" height="100%" fill="url(#s)"/><circle cx="${width * next()}" cy="${horizon * next()}" r="${height * (0.03 + next() * 0.08)}" fill="#ffe9a8"/>
${hill(horizon, hsl(draw, 150, 260))}${hill(horizon + height * 0.12, hsl(draw, 60, 160))}${hill(horizon + height * 0.25, hsl(draw, 20, 140))}`,
    );
  },
  shapes: (draw) => {
    const { width, height, next } = draw;
    return svg(
      draw,
      `<rect width="100%" height="100%" fill="${hsl(draw)}"/>${times(14, () =>
        next() < 0.5
          ? `<circle cx="${next() * width}" cy="${next() * height}" r="${(0.04 + next() * 0.18) * height}" fill="${hsl(draw)}"/>`
          : `<rect x="${next() * width}" y="${next() * height}" width="${next() * width * 0.4}" height="${next() * height * 0.4}" fill="${hsl(draw)}" transform="rotate(${next() * 60})"/>`,
      ).join('')}`,
    );
  },
  chart: (draw) => {
    const { width, height, next } = draw;
    const bars = 5 + Math.floor(next() * 9);
    const color = hsl(draw);
    return svg(
      draw,
      `<rect width="100%" height="100%" fill="#fff"/>${times(bars, (at) => {
        const tall = height * (0.1 + next() * 0.75);
        return `<rect x="${width * (0.1 + (0.85 * at) / bars)}" y="${height * 0.92 - tall}" width="${(width * 0.6) / bars}" height="${tall}" fill="${color}"/>`;
      }).join(
        '',
      )}<path d="M${width * 0.08} ${height * 0.05}V${height * 0.92}H${width * 0.97}" fill="none" stroke="#333" stroke-width="2"/>`,
    );
  },
  page: (draw) => {
    const { width, height, next } = draw;
    let y = height * 0.06;
    const lines: string[] = [`<rect width="100%" height="100%" fill="#fdfcf8"/>`];
    while (y < height * 0.94) {
      let x = width * 0.08;
      const end = width * (next() < 0.2 ? 0.3 + next() * 0.5 : 0.92);
      const size = next() < 0.08 ? 12 : 6;
      while (x < end) {
        const word = width * (0.02 + next() * 0.08);
        lines.push(`<rect x="${x}" y="${y}" width="${word}" height="${size}" fill="#222"/>`);
        x += word + width * 0.015;
      }
      y += size + 5 + (next() < 0.15 ? 18 : 0);
    }
    return svg(draw, lines.join(''));
  },
  clouds: (draw) => {
    const [noise, other] = [clouds(draw.next, 5), clouds(draw.next, 3)];
    const tint = times(6, () => draw.next() * 255);
    return pixels(draw, (x, y) => {
      const [value, mix] = [noise(x, y), other(x, y)];
      return [0, 1, 2].map((channel) => value * (tint[channel]! * mix + tint[channel + 3]! * (1 - mix)) * 1.6) as [number, number, number];
    });
  },
  fractal: (draw) => {
    const { next } = draw;
    const [re, im, size] = [-0.75 + (next() - 0.5) * 0.5, 0.05 + next() * 0.5, 0.15 + next() * 0.9];
    const phase = next() * 6;
    return pixels(draw, (x, y) => {
      const [cr, ci] = [re + (x - 0.5) * size, im + (y - 0.5) * size];
      let [a, b, step] = [0, 0, 0];
      for (; step < 60 && a * a + b * b < 16; step++) [a, b] = [a * a - b * b + cr, 2 * a * b + ci];
      return step === 60
        ? [8, 8, 20]
        : ([0, 2, 4].map((shift) => 128 + 127 * Math.sin(step / 4 + phase + shift)) as [number, number, number]);
    });
  },
  stripes: (draw) => {
    const { next } = draw;
    const [angle, count] = [next() * Math.PI, 4 + next() * 20];
    const [one, two] = [times(3, () => next() * 255), times(3, () => next() * 255)];
    return pixels(
      draw,
      (x, y) => (Math.sin((x * Math.cos(angle) + y * Math.sin(angle)) * count * 2) > 0 ? one : two) as [number, number, number],
    );
  },
  lights: (draw) => {
    const { next } = draw;
    const lamps = times(7, () => ({ x: next(), y: next(), wide: 0.01 + next() * 0.08, color: times(3, () => next() * 255) }));
    const grain = clouds(next, 7);
    return pixels(draw, (x, y) => {
      const sum = [18, 20, 30].map((value) => value + grain(x, y) * 24);
      for (const lamp of lamps) {
        const near = Math.exp(-((x - lamp.x) ** 2 + (y - lamp.y) ** 2) / lamp.wide);
        for (const channel of [0, 1, 2]) sum[channel]! += lamp.color[channel]! * near;
      }
      return sum as [number, number, number];
    });
  },
  bricks: (draw) => {
    const { next } = draw;
    const [rows, tone] = [6 + Math.floor(next() * 10), times(3, () => 60 + next() * 150)];
    const shade = times(400, next);
    const grain = clouds(next, 6);
    return pixels(draw, (x, y) => {
      const row = Math.floor(y * rows);
      const along = x * rows * 0.6 + (row % 2) / 2;
      const isMortar = (y * rows) % 1 < 0.1 || along % 1 < 0.06;
      const light = isMortar ? 0.95 : 0.55 + shade[(row * 19 + Math.floor(along)) % 400]! * 0.4;
      return tone.map((value) => (isMortar ? 190 : value) * light * (0.8 + grain(x, y) * 0.4)) as [number, number, number];
    });
  },
  icons: async (draw) => {
    const { width, height, next } = draw;
    const icon = icons[Math.floor(next() * icons.length)]!;
    const side = Math.round(height * (0.25 + next() * 0.2));
    const small = await sharp(icon).resize(side, side, { fit: 'inside' }).png().toBuffer();
    const places = times(1 + Math.floor(next() * 3), () => ({
      input: small,
      left: Math.floor(next() * (width - side)),
      top: Math.floor(next() * (height - side)),
    }));
    const ground = await svg(
      draw,
      `<rect width="100%" height="100%" fill="${hsl(draw)}"/><circle cx="${next() * width}" cy="${next() * height}" r="${height / 3}" fill="${hsl(draw)}"/>`,
    );
    return sharp(ground).composite(places).png().toBuffer();
  },
};

export const pictureKinds = Object.keys(kinds);

/** Picture number `at` as PNG: kinds take turns, and every number is another picture, the same each time. */
export const picture = (at: number): Promise<Buffer> => {
  const next = chance(at * 7_919 + 17);
  const [width, height] = [
    [480, 360],
    [360, 480],
    [400, 400],
    [640, 360],
  ][Math.floor(next() * 4)] as [number, number];
  return kinds[pictureKinds[at % pictureKinds.length]!]!({ width, height, next });
};

/** The same picture as others send it. */
export const disguises: Readonly<Record<string, (png: Buffer) => Promise<Buffer>>> = {
  'JPEG of quality 60': (png) => sharp(png).jpeg({ quality: 60 }).toBuffer(),
  'WebP of quality 50': (png) => sharp(png).webp({ quality: 50 }).toBuffer(),
  'half as large, JPEG': async (png) => {
    const { width } = await sharp(png).metadata();
    return sharp(png)
      .resize(Math.round(width / 2))
      .jpeg({ quality: 80 })
      .toBuffer();
  },
  'a third larger, PNG': async (png) => {
    const { width } = await sharp(png).metadata();
    return sharp(png)
      .resize(Math.round(width * 1.33))
      .png()
      .toBuffer();
  },
  // At every side, so that a fifth of a picture goes.
  'cropped by 5 % at each side, JPEG': async (png) => {
    const { width, height } = await sharp(png).metadata();
    const [left, top] = [Math.round(width * 0.05), Math.round(height * 0.05)];
    return sharp(png)
      .extract({ left, top, width: width - 2 * left, height: height - 2 * top })
      .jpeg({ quality: 85 })
      .toBuffer();
  },
};
