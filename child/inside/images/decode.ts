import { open } from 'node:fs/promises';
import type { Sharp } from 'sharp';
import { BadInput, Unavailable } from '../../../errors/classes.ts';
import { imageLimits } from '../../image-limits.ts';
import { installImagePackage } from '../../image-package.ts';
import type { ImageFormat, ImageSource } from '../../images.ts';

/** What a file of each format begins with. */
export const imageHeads: Readonly<Record<ImageFormat, (head: Buffer) => boolean>> = {
  png: (head) => head.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])),
  jpeg: (head) => head.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])),
  webp: (head) => head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP',
};

/**
 * The library, made to open these formats alone: it knows dozens, and each is a parser more that hostile bytes could reach. `Unavailable`
 * where it is not installed, or without its binary of this platform.
 */
async function loadSharp(): Promise<typeof import('sharp').default> {
  const { default: sharp } = await import('sharp').catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ERR_MODULE_NOT_FOUND' ? 'is not installed' : `does not load here (${error.message.trim().split('\n')[0]})`;
    throw new Unavailable('configuration', `images are decoded by the package sharp, which ${why}: ${installImagePackage}`);
  });
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'] });
  return sharp;
}

/** The bytes of an image; of a file no more than may be. */
async function bytesOf(name: string, image: ImageSource): Promise<Buffer> {
  if (typeof image !== 'string') return Buffer.from(image.buffer, image.byteOffset, image.byteLength);
  const file = await open(image, 'r').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new BadInput('bad_input', `${name}: the file is not there`) : error;
  });
  try {
    const { size } = await file.stat();
    if (size > imageLimits.fileBytes) throw tooLarge(name, `its file has ${size} bytes, and an image has at most ${imageLimits.fileBytes}`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

const tooLarge = (name: string, why: string): BadInput => new BadInput('too_large', `${name}: ${why}`);

export type Decoding = { format: ImageFormat; width: number; height: number; open(): Sharp };

/**
 * An image whose header was read: upright, on white, in sRGB once it is opened. A verdict where the bytes are of no format that is
 * accepted, cannot be decoded, or are more pixels than may be, which the header says before any of them is.
 */
export async function decode(name: string, image: ImageSource): Promise<Decoding> {
  const bytes = await bytesOf(name, image);
  if (bytes.byteLength > imageLimits.fileBytes)
    throw tooLarge(name, `has ${bytes.byteLength} bytes, and an image has at most ${imageLimits.fileBytes}`);
  const format = (Object.keys(imageHeads) as ImageFormat[]).find((each) => imageHeads[each](bytes));
  if (!format) throw new BadInput('bad_input', `${name}: is no .png, .jpeg or .webp image`);
  const sharp = await loadSharp();
  const opened = (): Sharp => sharp(bytes, { limitInputPixels: false, failOn: 'error', sequentialRead: true });
  const { width, height, autoOrient } = await verdictOf(name, opened().metadata());
  if (width * height > imageLimits.pixels)
    throw tooLarge(name, `has ${width} × ${height} pixels, and an image has at most ${imageLimits.pixels}`);
  return {
    format,
    width: autoOrient.width,
    height: autoOrient.height,
    open: () => opened().autoOrient().toColourspace('srgb').flatten({ background: '#fff' }),
  };
}

/** What the library says of bytes that it cannot decode, as a verdict on them. */
export async function verdictOf<T>(name: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const [said = ''] = (error as Error).message.split('\n').filter((line) => line.trim() !== '');
    throw new BadInput('bad_input', `${name}: cannot be decoded: ${said.trim().slice(0, 200)}`);
  }
}
