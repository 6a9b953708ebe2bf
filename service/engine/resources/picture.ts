import { crc32, deflateSync } from 'node:zlib';

/** The size that pages name to whoever shows a link to them. */
export const pictureSize = { width: 1_200, height: 630 } as const;

const background = [16, 18, 24] as const;
/** Colours of groups of points, told apart also by who sees few of them; without groups all have the first. */
export const pictureColors: readonly (readonly [number, number, number])[] = [
  [86, 180, 233],
  [230, 159, 0],
  [0, 158, 115],
  [240, 228, 66],
  [213, 94, 0],
  [204, 121, 167],
  [120, 140, 255],
  [160, 220, 140],
  [255, 150, 150],
  [140, 230, 230],
  [190, 160, 120],
  [150, 150, 150],
];

const margin = 30;

/** Points within so many pixels of the middle of theirs, by how many there are: few are seen, and many do not cover each other. */
const radiusOf = (points: number): number => Math.min(6, Math.max(1, 60 / Math.sqrt(points)));

const chunk = (type: string, data: Uint8Array): Buffer => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
};

/** Pixels of three bytes as a PNG. */
const png = (pixels: Uint8Array, width: number, height: number): Uint8Array => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits of each of red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  const lines = new Uint8Array(height * (width * 3 + 1));
  for (let row = 0; row < height; row += 1) lines.set(pixels.subarray(row * width * 3, (row + 1) * width * 3), row * (width * 3 + 1) + 1);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return new Uint8Array(
    Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(lines)), chunk('IEND', new Uint8Array())]),
  );
};

/** A picture of points (two numbers each, in [-1, 1], upwards) in the colours of their groups, as a PNG. */
export const mapPicture = (xy: Float32Array, groups: Uint8Array): { png: Uint8Array } => {
  const { width, height } = pictureSize;
  const pixels = new Uint8Array(width * height * 3);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = background[at % 3]!;
  const points = xy.length / 2;
  const radius = radiusOf(points);
  const side = height - 2 * margin;
  for (let point = 0; point < points; point += 1) {
    const [x, y] = [width / 2 + (xy[point * 2]! * side) / 2, height / 2 - (xy[point * 2 + 1]! * side) / 2];
    const color = pictureColors[groups[point]!] ?? pictureColors.at(-1)!;
    for (let row = Math.ceil(y - radius); row <= y + radius; row += 1)
      for (let column = Math.ceil(x - radius); column <= x + radius; column += 1)
        if ((row - y) ** 2 + (column - x) ** 2 <= radius ** 2) pixels.set(color, (row * width + column) * 3);
  }
  return { png: png(pixels, width, height) };
};
