import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { picture } from './pictures.ts';

/** One chunk of a PNG file. */
const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
};

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A PNG that says to be so large; its pixels are those of `rows` empty rows. */
export const pngOf = (width: number, height: number, { rows = 1, extra = [] as Buffer[] } = {}): Buffer => {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 0, 0, 0, 0], 8);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    ...extra,
    chunk('IDAT', deflateSync(Buffer.alloc((width + 1) * rows), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

/** A text of so many bytes that a PNG carries in next to none. */
export const textBomb = (bytes: number): Buffer =>
  chunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), deflateSync(Buffer.alloc(bytes, 65), { level: 9 })]));

/** A JPEG whose frame header says another size. */
const jpegOf = async (width: number, height: number): Promise<Buffer> => {
  const jpeg = Buffer.from(
    await sharp(await picture(3))
      .jpeg()
      .toBuffer(),
  );
  const at = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
  jpeg.writeUInt16BE(height, at + 5);
  jpeg.writeUInt16BE(width, at + 7);
  return jpeg;
};

/** A WebP whose canvas is said to be so large. */
const webpOf = (width: number, height: number): Buffer => {
  const head = Buffer.alloc(30);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(22, 4);
  head.write('WEBPVP8X', 8, 'latin1');
  head.writeUInt32LE(10, 16);
  head.writeUIntLE(width - 1, 24, 3);
  head.writeUIntLE(height - 1, 27, 3);
  return head;
};

export type Hostile = { name: string; bytes: Buffer };

/** Small files that are far too many pixels once they are decoded. */
export async function imageBombs(): Promise<Hostile[]> {
  const sizes: [number, number][] = [
    [8_001, 8_001],
    [20_000, 20_000],
    [65_000, 65_000],
    [500_000, 2_000],
    [1_000_000, 1_000_000],
  ];
  return [
    ...sizes.flatMap(([width, height]) => [
      { name: `PNG that says ${width} × ${height}`, bytes: pngOf(width, height) },
      { name: `PNG that says ${height} × ${width}`, bytes: pngOf(height, width) },
    ]),
    { name: 'PNG of 100 million real pixels', bytes: pngOf(10_000, 10_000, { rows: 10_000 }) },
    { name: 'PNG of 2,147,483,647 × 1', bytes: pngOf(0x7fff_ffff, 1, { rows: 0 }) },
    ...(await Promise.all(
      [
        [65_000, 65_000],
        [20_000, 5_000],
        [5_000, 20_000],
      ].map(async ([width, height]) => ({ name: `JPEG that says ${width} × ${height}`, bytes: await jpegOf(width!, height!) })),
    )),
    ...[
      [16_383, 16_383],
      [16_777_216, 255],
      [10_000, 10_000],
    ].map(([width, height]) => ({ name: `WebP that says ${width} × ${height}`, bytes: webpOf(width!, height!) })),
  ];
}

/** Files that are broken, or none of the formats, each refused. */
export async function brokenImages(count: number): Promise<Hostile[]> {
  const encode = ['png', 'jpeg', 'webp'] as const;
  const cut = await Promise.all(
    Array.from({ length: count }, async (_, at): Promise<Hostile> => {
      const format = encode[at % 3]!;
      const whole = await sharp(await picture(at))
        .toFormat(format)
        .toBuffer();
      const part = [0.02, 0.1, 0.3, 0.5, 0.7][Math.floor(at / 3) % 5]!;
      return { name: `${format} of picture ${at}, cut at ${part}`, bytes: whole.subarray(0, Math.ceil(whole.length * part)) };
    }),
  );
  const png = await picture(1);
  const zeroed = Buffer.from(png).fill(0, 40, png.length - 20);
  const others: Hostile[] = [
    { name: 'nothing', bytes: Buffer.alloc(0) },
    { name: 'one byte', bytes: Buffer.from([0xff]) },
    { name: 'a page', bytes: Buffer.from('<!doctype html><title>x</title>') },
    {
      name: 'an SVG that names a file',
      bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'),
    },
    { name: 'the signature of a PNG alone', bytes: signature },
    { name: 'a PNG of zeros', bytes: zeroed },
    { name: 'a PNG of size 0', bytes: pngOf(0, 0, { rows: 0 }) },
    { name: 'a PNG whose rows are missing', bytes: pngOf(400, 400) },
    { name: 'a JPEG of three bytes', bytes: Buffer.from([0xff, 0xd8, 0xff]) },
    { name: 'a WebP of its head', bytes: webpOf(10, 10) },
    { name: 'a GIF', bytes: await sharp(png).gif().toBuffer() },
    { name: 'a TIFF', bytes: await sharp(png).tiff().toBuffer() },
  ];
  return [...others, ...cut].slice(0, count);
}
