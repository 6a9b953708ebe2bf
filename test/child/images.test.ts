import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createImages } from '../../child/host/create-images.ts';
import { cellShares } from '../../child/inside/images/cells.ts';
import { brokenImages, imageBombs, pngOf, textBomb } from '../support/image-bombs.ts';
import { disguises, picture, pictureKinds } from '../support/pictures.ts';

const images = createImages({ children: 2 });
let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'portolan-images-'))));
afterAll(async () => {
  await images.close();
  await rm(folder, { recursive: true, force: true });
});

const look = async (image: Uint8Array): Promise<Float32Array> => (await images.describe('picture', image)).visual;
const close = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, at) => sum + value * b[at]!, 0);
const nearest = (to: Float32Array, among: readonly Float32Array[]): number => {
  const likeness = among.map((each) => close(to, each));
  return likeness.indexOf(Math.max(...likeness));
};

/** Two pictures of each kind: the other one of its kind is what a picture could be taken for. */
const pictures = await Promise.all(Array.from({ length: pictureKinds.length * 2 }, (_, at) => picture(at)));

test.each(Object.keys(disguises))('a picture is nearest to itself as %s', async (disguise) => {
  const originals = await Promise.all(pictures.map(look));
  const found = await Promise.all(pictures.map(async (png) => nearest(await look(await disguises[disguise]!(png)), originals)));
  expect(found).toEqual([...pictures.keys()]);
});

test('where the package that decodes is missing, an image names it and the way out, whoever asks', async () => {
  const bare = join(folder, 'bare');
  for (const file of ['child/inside/images/decode.ts', 'child/image-package.ts', 'child/image-limits.ts', 'errors/classes.ts'])
    await cp(fileURLToPath(new URL(`../../${file}`, import.meta.url)), join(bare, file));
  await writeFile(join(bare, 'package.json'), '{"type":"module"}');
  const code = `
    const { decode } = await import('./child/inside/images/decode.ts');
    const png = Buffer.from('89504e470d0a1a0a', 'hex');
    await decode('a.png', png).catch(({ name, resource, message }) => console.log(name, resource, message));`;
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: bare });
  expect(stdout.trim()).toBe(
    'Unavailable configuration images are decoded by the package sharp, which is not installed: npm install sharp',
  );
});

test('cells overlap: a pixel counts for the two that it lies between, and its neighbour for nearly the same', () => {
  const [side, cells] = [96, 8];
  const weights = cellShares(side, cells).map((of) =>
    Array.from({ length: cells }, (_, cell) => of.find((share) => share.cell === cell)?.weight ?? 0),
  );
  for (const [at, of] of weights.entries()) {
    const beforeIt = weights[Math.max(0, at - 1)]!;
    expect(Math.max(...of.map((weight, cell) => Math.abs(weight - beforeIt[cell]!)))).toBeLessThanOrEqual(cells / side + 1e-9);
    const halfCell = side / cells / 2;
    if (at >= halfCell && at < side - halfCell) expect(of.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1);
  }
});

test('a description tells its picture apart from others by colour, by edges and by texture alone', async () => {
  const flat = (background: string) =>
    sharp({ create: { width: 90, height: 60, channels: 3, background } })
      .png()
      .toBuffer();
  const bars = (turn: number) =>
    sharp(
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><g transform="rotate(${turn} 45 45)">${[0, 1, 2, 3, 4].map((at) => `<rect x="${at * 20 - 10}" y="-40" width="10" height="170"/>`).join('')}</g></svg>`,
      ),
    )
      .flatten({ background: '#fff' })
      .png()
      .toBuffer();
  const [red, crimson, blue] = await Promise.all(['#c02020', '#b02028', '#2030c0'].map(async (color) => look(await flat(color))));
  expect(close(red!, crimson!)).toBeGreaterThan(close(red!, blue!) + 0.2);
  const [upright, leaning, lying] = await Promise.all([0, 8, 90].map(async (turn) => look(await bars(turn))));
  expect(close(upright!, leaning!)).toBeGreaterThan(close(upright!, lying!) + 0.1);
});

test('the same bytes are described the same, as bytes and as a file, upright whatever the camera says', async () => {
  const file = join(folder, 'picture');
  await writeFile(file, pictures[0]!);
  expect(await images.describe('file', file)).toEqual(await images.describe('bytes', pictures[0]!));
  const lying = await sharp(pictures[0]).rotate(90).withMetadata({ orientation: 8 }).png().toBuffer();
  const { visual, width, height } = await images.describe('lying', lying);
  const upright = await images.describe('upright', pictures[0]!);
  expect([width, height]).toEqual([upright.width, upright.height]);
  expect(close(visual, upright.visual)).toBeGreaterThan(0.999);
});

test('an image made smaller is a JPEG of the same picture, the same each time', async () => {
  const smaller = await images.shrink('picture', pictures[2]!, 128);
  expect(Math.max(smaller.width, smaller.height)).toBe(128);
  expect((await sharp(smaller.jpeg).metadata()).format).toBe('jpeg');
  expect(await images.shrink('picture', pictures[2]!, 128)).toEqual(smaller);
  expect(close(await look(smaller.jpeg), await look(pictures[2]!))).toBeGreaterThan(0.9);
});

test('a bomb is too large by what its header says, and costs no decoding', async () => {
  for (const { name, bytes } of await imageBombs())
    await expect(images.describe(name, bytes), name).rejects.toMatchObject({
      name: 'BadInput',
      verdict: expect.stringMatching(/^(too_large|bad_input)$/),
      message: expect.stringContaining(name),
    });
  await expect(images.describe('plain', pngOf(8_001, 8_001))).rejects.toMatchObject({ verdict: 'too_large' });
});

test('a text that unpacks to 200 MB within an image does not end the process that opens it', async () => {
  const bytes = pngOf(40, 40, { rows: 40, extra: [textBomb(200_000_000)] });
  const fate = await images.describe('text', bytes).then(
    () => 'described',
    (error: { name: string; verdict: string }) => `${error.name} ${error.verdict}`,
  );
  expect(['described', 'BadInput bad_input']).toContain(fate);
});

test('what is broken, or no image, is a verdict', async () => {
  for (const { name, bytes } of await brokenImages(40))
    await expect(images.describe(name, bytes), name).rejects.toMatchObject({ name: 'BadInput', verdict: 'bad_input' });
});

test('an image in which some bytes have changed is described or refused, and the next one is described as ever', async () => {
  const whole = await sharp(pictures[3]).webp().toBuffer();
  const before = await look(pictures[1]!);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 8 }),
      async (changes) => {
        const bytes = Buffer.from(whole);
        for (const [at, value] of changes) bytes[at] = value;
        const fate = await images.describe('changed', bytes).then(
          ({ visual }) => (visual.every((value) => Number.isFinite(value)) ? 'described' : 'no numbers'),
          ({ name, verdict }: { name: string; verdict: string }) => `${name} ${verdict}`,
        );
        expect(['described', 'BadInput bad_input', 'BadInput too_large']).toContain(fate);
      },
    ),
    { numRuns: 40 },
  );
  expect(await look(pictures[1]!)).toEqual(before);
});
