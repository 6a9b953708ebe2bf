import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentOf, parsed } from './parsing.ts';
import { pdfOf } from './pdf-writer.ts';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => void (world = await createWorld()));
afterAll(() => world[Symbol.asyncDispose]());

const lines = (texts: readonly string[], { x = 72, y = 700, step = 14 } = {}) => texts.map((text, at) => ({ x, y: y - at * step, text }));

const harbour = pdfOf(
  [
    [
      { x: 72, y: 730, size: 24, text: 'Harbour report' },
      ...lines(['Ships came in the morning', 'and left before the storm.']),
      ...lines(['Bread was dear that week,', 'and wheels were not.'], { y: 640 }),
    ],
    [
      { x: 72, y: 730, size: 16, text: 'Fees' },
      ...['Size|Fee|Night', '10 m|4|2', '20 m|9|3', '30 m|16|5'].flatMap((row, at) =>
        row.split('|').map((text, column) => ({ x: 72 + column * 120, y: 690 - at * 16, text })),
      ),
    ],
    [],
  ],
  { title: 'Report of the harbour' },
);

test('a PDF is read page by page: headings by the size of their letters, paragraphs, and the place of each on its page', async () => {
  const document = await documentOf(world, { bytes: harbour, type: 'application/octet-stream' });
  expect(document.file).toMatchObject({ type: 'application/pdf', title: 'Report of the harbour' });
  expect(document.pages).toEqual([
    { page: 1, width: 612, height: 792, text: 'embedded' },
    { page: 2, width: 612, height: 792, text: 'embedded' },
    { page: 3, width: 612, height: 792, text: 'none' },
  ]);
  expect(document.chunks.map(({ page }) => page)).toEqual([1, 2]);
  const [first, second] = document.chunks;
  expect(first!.blocks.map(({ type, content }) => [type, content])).toEqual([
    ['Section Header', 'Harbour report'],
    ['Text', 'Ships came in the morning\nand left before the storm.'],
    ['Text', 'Bread was dear that week,\nand wheels were not.'],
  ]);
  const { left, top, width, height } = first!.blocks[0]!.bbox!;
  expect([left, top]).toEqual([expect.closeTo(72 / 612, 2), expect.closeTo((792 - 730 - 19) / 792, 2)]);
  expect([width, height]).toEqual([expect.closeTo(160 / 612, 1), expect.closeTo(24 / 792, 2)]);
  expect(second!.blocks.map(({ type, cells }) => [type, cells])).toEqual([
    ['Section Header', undefined],
    [
      'Table',
      [
        ['Size', 'Fee', 'Night'],
        ['10 m', '4', '2'],
        ['20 m', '9', '3'],
        ['30 m', '16', '5'],
      ],
    ],
  ]);
  expect(second!.section).toEqual(['Harbour report']);
});

test('two columns of text are read one after the other, and are no table', async () => {
  const column = (name: string) => Array.from({ length: 8 }, (_, at) => `${name} line ${at} goes on for a while here`);
  const bytes = pdfOf([[...lines(column('left')), ...lines(column('right'), { x: 330 })]]);
  const [chunk] = (await documentOf(world, { bytes })).chunks;
  expect(chunk!.blocks.map(({ type }) => type)).toEqual(['Text', 'Text']);
  expect(chunk!.content).toBe(`${column('left').join('\n')}\n\n${column('right').join('\n')}`);
});

test('a word that is parted at the end of a line is whole, and figures in old style are digits', async () => {
  const bytes = pdfOf([lines(['The harbour was com-', 'pletely closed in the North-', 'East.'])]);
  expect((await documentOf(world, { bytes })).chunks[0]!.content).toBe('The harbour was completely closed in the North-\nEast.');
  const differences = '/Encoding << /Type /Encoding /Differences [49 /oneoldstyle /twooldstyle 97 /Asmall] >>';
  const styled = pdfOf([lines(['12 a'])])
    .toString('latin1')
    .replace('/Encoding /WinAnsiEncoding', differences);
  expect((await documentOf(world, { bytes: Buffer.from(styled, 'latin1') })).chunks[0]!.content).toBe('12 a');
});

test('what stands in the fields of a form and in notes on a page is read where it is shown, but no password and nothing hidden', async () => {
  const field = (y: number, rest: string): string => `<< /Type /Annot /Subtype /Widget /Rect [200 ${y} 400 ${y + 14}] ${rest} >>`;
  const fields = [
    field(696, '/F 4 /FT /Tx /T (name) /V (Ada Lovelace)'),
    field(676, '/F 4 /FT /Ch /Ff 131072 /T (land) /Opt [[(nl) (Netherlands)] [(de) (Germany)]] /V (de)'),
    field(656, '/F 4 /FT /Tx /Ff 8192 /T (word) /V (password)'),
    field(636, '/F 2 /FT /Tx /T (none) /V (hidden)'),
    '<< /Type /Annot /Subtype /FreeText /F 4 /Rect [72 500 300 520] /Contents (A note on the page) /DA (/Helv 10 Tf 0 g) >>',
  ];
  const form = pdfOf([lines(['Name:', 'Country:', 'Word:'], { step: 20 })])
    .toString('latin1')
    .replace('/Type /Catalog', '/Type /Catalog /AcroForm << /Fields [] >>')
    .replace('/MediaBox', `/Annots [${fields.join(' ')}] /MediaBox`);
  const [chunk] = (await documentOf(world, { bytes: Buffer.from(form, 'latin1') })).chunks;
  const words = 'Name: Country: Word: Ada Lovelace Germany A note on the page'.split(' ');
  expect(chunk!.content.split(/\s+/).toSorted()).toEqual(words.toSorted());
  const note = chunk!.blocks.find(({ content }) => content === 'A note on the page')!;
  expect([note.bbox!.left, note.bbox!.top]).toEqual([expect.closeTo(72 / 612, 2), expect.closeTo((792 - 520) / 792, 2)]);
});

test('a PDF whose table of objects is wrong is read all the same', async () => {
  const broken = Buffer.from(harbour.toString('latin1').replace(/startxref\n\d+/, 'startxref\n7'), 'latin1');
  expect((await documentOf(world, { bytes: broken })).chunks).toHaveLength(2);
});

const encrypted = (): Buffer => {
  const dictionary = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${'00'.repeat(32)}> /U <${'11'.repeat(32)}> /P -4 >> /ID [<00> <00>]`;
  return Buffer.from(harbour.toString('latin1').replace('/Root 1 0 R', `/Root 1 0 R ${dictionary}`), 'latin1');
};

test.each([
  ['a PDF with a password', encrypted(), /encrypted/],
  ['a PDF that is cut in its first object', harbour.subarray(0, 30), /damaged/],
  ['a PDF of which nothing is true', Buffer.from(`%PDF-1.7\n${'x'.repeat(5_000)}`), /damaged/],
  [
    'pages that name themselves as their own parents and children',
    Buffer.from(harbour.toString('latin1').replace('/Kids [4 0 R', '/Kids [2 0 R'), 'latin1'),
    undefined,
  ],
])('%s has a fate, and the service goes on', async (_, bytes, reason) => {
  const { end } = await parsed(world, { bytes, type: 'application/pdf' });
  if (reason) expect(end).toMatchObject({ status: 'FAILED', verdict: 'bad_input', error: expect.stringMatching(reason) });
  else expect(['COMPLETED', 'FAILED']).toContain(end.status);
  expect((await documentOf(world, { bytes: 'Still here.' })).chunks).toHaveLength(1);
});
