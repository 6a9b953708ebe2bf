import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPdf } from '../../child/inside/documents/pdf/open.ts';
import { render } from '../../child/inside/documents/pdf/render.ts';
import { documentOf, parsed } from './parsing.ts';
import { pdfOf } from './pdf-writer.ts';
import { createWorld, type World } from './world.ts';

const lines = ['The harbour was closed', 'when the storm came in.', 'Bread cost 14 coins that week.'];

let world: World;
/** A page with these lines, as pixels. */
let scan: Buffer;
beforeAll(async () => {
  world = await createWorld();
  const pdf = await openPdf(pdfOf([lines.map((text, at) => ({ x: 72, y: 700 - at * 24, size: 16, text }))]));
  const page = await pdf.getPage(1);
  scan = await (await render(page)).part({ left: 0, top: 0, right: 612, bottom: 792 });
});
afterAll(() => world[Symbol.asyncDispose]());

test.each(['png', 'jpeg', 'webp'] as const)('the characters of an image as %s are recognised, with their places', async (format) => {
  const document = await documentOf(world, { bytes: await sharp(scan).toFormat(format).toBuffer(), type: `image/${format}` });
  expect(document.file!.type).toBe(`image/${format}`);
  expect(document.pages).toEqual([{ page: 1, width: 1700, height: 2200, text: 'ocr' }]);
  const [chunk] = document.chunks;
  expect(chunk!.content.split(/\n+/)).toEqual(lines);
  expect(chunk!.blocks[0]).toMatchObject({
    source: 'ocr',
    bbox: { page: 1, left: expect.closeTo(72 / 612, 2), top: expect.closeTo(80 / 792, 2) },
  });
});

const scannedPdf = async () => {
  const jpeg = await sharp(scan).grayscale().jpeg({ quality: 90 }).toBuffer();
  return pdfOf([[]], { picture: { jpeg, wide: 1700, high: 2200, x: 0, y: 0, width: 612, height: 792 } });
};

test('the page of a PDF that is a scan is recognised, but where only embedded text is asked for', async () => {
  const bytes = await scannedPdf();
  const document = await documentOf(world, { bytes });
  expect(document.pages).toMatchObject([{ text: 'ocr' }]);
  expect(document.chunks[0]!.content.split(/\n+/)).toEqual(lines);
  const bare = await documentOf(world, { bytes }, { content_extraction_mode: 'metadata' });
  expect([bare.chunks, bare.pages]).toMatchObject([[], [{ text: 'none' }]]);
});

test('a picture beside text is a figure with the text in it; as a whole page (mode ocr) all of it is recognised', async () => {
  const jpeg = await sharp(scan).extract({ left: 150, top: 180, width: 1000, height: 260 }).grayscale().jpeg({ quality: 90 }).toBuffer();
  const bytes = pdfOf([[{ x: 72, y: 300, text: 'Text of the file itself' }]], {
    picture: { jpeg, wide: 1000, high: 260, x: 72, y: 500, width: 360, height: 93.6 },
  });
  const modes = { hybrid: await documentOf(world, { bytes }), ocr: await documentOf(world, { bytes }, { content_extraction_mode: 'ocr' }) };
  expect(modes.hybrid.chunks[0]!.blocks).toMatchObject([
    { type: 'Figure', content: lines.join('\n'), source: 'ocr', summary: { method: 'extractive' } },
    { type: 'Text', content: 'Text of the file itself' },
  ]);
  expect(modes.hybrid.chunks[0]!.blocks[1]!.source).toBeUndefined();
  expect(modes.ocr.chunks[0]!.blocks.every(({ source }) => source === 'ocr')).toBe(true);
  expect(modes.ocr.chunks[0]!.content).toMatch(/Bread cost 14 coins that week\.[^]*Text of the file itself/);
});

test.each([
  ['a picture that is cut', () => scan.subarray(0, 5_000), /cannot be decoded/],
  [
    'a picture of more pixels than may be',
    async () =>
      sharp({ create: { width: 9_000, height: 9_000, channels: 3, background: '#fff' } })
        .png()
        .toBuffer(),
    /9000 × 9000 pixels/,
  ],
])('%s fails with a verdict', async (_, make, reason) => {
  const { end } = await parsed(world, { bytes: await make(), type: 'image/png' });
  expect(end).toMatchObject({ status: 'FAILED', error: expect.stringMatching(reason) });
});

test('with ocr_language latin the letters of other languages are recognised too', async () => {
  const text = 'Por la ma\u00f1ana los pilotos contaron las l\u00e1mparas';
  const pdf = await openPdf(pdfOf([[{ x: 72, y: 700, size: 16, text }]]));
  const bytes = await (await render(await pdf.getPage(1))).part({ left: 0, top: 0, right: 612, bottom: 200 });
  const { chunks } = await documentOf(world, { bytes, type: 'image/png' }, { ocr_language: 'latin' });
  expect(chunks[0]!.content).toBe(text);
  // The next document in English has its own models again.
  expect((await documentOf(world, { bytes: scan, type: 'image/png' })).chunks[0]!.content.split(/\n+/)).toEqual(lines);
});

test('a language whose model is not here is refused where characters would be recognised', async () => {
  const { status, body } = await world.api.post('/v1/parse', { file_url: 'svc://files/x', options: { ocr_language: 'zh_ja_en' } });
  expect([status, body.detail[0].loc]).toEqual([422, ['body', 'options.ocr_language']]);
});
