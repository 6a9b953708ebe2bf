import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPdf } from '../../child/inside/documents/pdf/open.ts';
import { render } from '../../child/inside/documents/pdf/render.ts';
import { relationships, workbook, zip } from '../child/support-workbook.ts';
import { docxOf, inList, paragraph, picture, run, table, type Docx } from './docx-writer.ts';
import { documentOf, parsed } from './parsing.ts';
import { pdfOf } from './pdf-writer.ts';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => void (world = await createWorld()));
afterAll(() => world[Symbol.asyncDispose]());

const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** Type and content of each block. */
const blocksOf = async (made: Docx, options: object = { content_extraction_mode: 'metadata' }) =>
  (await documentOf(world, { bytes: docxOf(made), type }, options)).chunks.flatMap(({ blocks }) =>
    blocks.map(({ type: kind, content }) => [kind, content]),
  );

test('a document is read by its headings, paragraphs, items and tables, and a chunk knows the headings above it', async () => {
  const body = [
    paragraph('Harbour guide', { style: 'Title' }),
    paragraph('Fees', { style: 'H1' }),
    paragraph(`${run('Ships pay ')}${run('per ton', '<w:b/>')}${run('.')}<w:r><w:br/><w:t>And</w:t><w:tab/><w:t>in cash.</w:t></w:r>`),
    paragraph('By size', { style: 'Own' }),
    table([
      ['Size', 'Fee', { properties: '<w:gridSpan w:val="2"/>', text: 'Season' }],
      [{ properties: '<w:vMerge w:val="restart"/>', text: '10 m' }, '4', 'low', 'high'],
      [{ properties: '<w:vMerge/>', text: '10 m again' }, '5', 'low', 'high'],
    ]),
    paragraph('Last.'),
  ].join('');
  const document = await documentOf(world, { bytes: docxOf({ body, title: 'Not this' }), type });
  expect(document.file).toMatchObject({ type, title: 'Harbour guide' });
  expect(document.chunks.flatMap(({ blocks }) => blocks.map((block) => [block.type, block.content]))).toEqual([
    ['Title', 'Harbour guide'],
    ['Section Header', 'Fees'],
    ['Text', 'Ships pay per ton.\nAnd in cash.'],
    ['Section Header', 'By size'],
    ['Table', '| Size | Fee | Season |  |\n| --- | --- | --- | --- |\n| 10 m | 4 | low | high |\n|  | 5 | low | high |'],
    ['Text', 'Last.'],
  ]);
  expect(document.chunks[0]).toMatchObject({ page: null, section: [] });
  expect(document.chunks[0]!.blocks.find((block) => block.type === 'Table')!.cells![1]).toEqual(['10 m', '4', 'low', 'high']);
});

test('items have the numbers that are seen, list by list and level by level, and bullets none', async () => {
  const level = (at: number, format: string, text: string, start = 1): string =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
  const numbering = [
    `<w:abstractNum w:abstractNumId="0">${level(0, 'decimal', '%1.')}${level(1, 'lowerLetter', '%1.%2)')}${level(2, 'upperRoman', '%3')}</w:abstractNum>`,
    `<w:abstractNum w:abstractNumId="1">${level(0, 'bullet', '•')}</w:abstractNum>`,
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
    '<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>',
    '<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>',
  ].join('');
  const item = (list: number, at: number, text: string, style?: string): string =>
    paragraph(text, { properties: inList(list, at), ...(style ? { style } : {}) });
  const body = [
    item(1, 0, 'one'),
    item(1, 1, 'under one'),
    item(1, 1, 'more'),
    item(1, 2, 'deep'),
    item(2, 0, 'a point'),
    item(1, 0, 'two', 'H1'),
    item(1, 1, 'under two'),
    item(3, 0, 'begins anew'),
    item(3, 0, 'goes on'),
    item(0, 0, 'in no list'),
  ].join('');
  expect(await blocksOf({ body, numbering })).toEqual([
    ['List Item', '1. one'],
    ['List Item', '1.a) under one'],
    ['List Item', '1.b) more'],
    ['List Item', 'I deep'],
    ['List Item', 'a point'],
    ['Section Header', '2. two'],
    ['List Item', '2.a) under two'],
    ['List Item', '7. begins anew'],
    ['List Item', '8. goes on'],
    ['Text', 'in no list'],
  ]);
});

test('what is seen is read once: not what was deleted, moved away or hidden, nor the second form of a drawing', async () => {
  const body = [
    paragraph(
      `${run('Kept')}<w:ins>${run(' and added')}</w:ins><w:del><w:r><w:delText> and gone</w:delText></w:r></w:del><w:moveFrom>${run(' and moved')}</w:moveFrom>${run(' and secret', '<w:vanish/>')}${run('.', '<w:vanish w:val="0"/>')}`,
    ),
    paragraph(
      `<w:r><mc:AlternateContent><mc:Choice><w:drawing><w:txbxContent>${paragraph('In a box.')}</w:txbxContent></w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent>${paragraph('In a box.')}</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r>`,
    ),
    paragraph(`${run('The area is ')}<m:oMath><m:r><m:t>πr²</m:t></m:r></m:oMath>`),
    paragraph('Body', { properties: '<w:outlineLvl w:val="9"/>', style: 'H1' }),
    paragraph('Changed', { properties: '<w:pPrChange><w:pPr><w:pStyle w:val="H1"/></w:pPr></w:pPrChange>' }),
  ].join('');
  expect(await blocksOf({ body })).toEqual([
    ['Text', 'Kept and added.'],
    ['Text', 'In a box.'],
    ['Text', 'The area is πr²'],
    ['Text', 'Body'],
    ['Text', 'Changed'],
  ]);
});

test('notes, headers and footers stand behind the body, each text once', async () => {
  const made = { body: paragraph('Body.'), footnotes: paragraph('A note.'), headers: [paragraph('Letterhead'), paragraph('Letterhead')] };
  expect(await blocksOf(made)).toEqual([
    ['Text', 'Body.'],
    ['Text', 'A note.'],
    ['Text', 'Letterhead'],
  ]);
});

test('a table of one column or row is layout: what stands in it is read as if it stood alone, and a table in a cell is its text', async () => {
  const layout = table([[paragraph('Frame', { style: 'H1' }), paragraph('Inside.')]]);
  expect(await blocksOf({ body: layout })).toEqual([
    ['Section Header', 'Frame'],
    ['Text', 'Inside.'],
  ]);
  const nested = table([
    ['a', 'b'],
    [
      'c',
      `${table([
        ['d', 'e'],
        ['f', 'g'],
      ])}${paragraph('h')}`,
    ],
  ]);
  expect(await blocksOf({ body: nested })).toEqual([['Table', '| a | b |\n| --- | --- |\n| c | d e f g h |']]);
});

test('a picture is a figure with what is said of it, and the characters in it are recognised unless only the text of the file is asked for', async () => {
  const pdf = await openPdf(pdfOf([[{ x: 72, y: 700, size: 24, text: 'Bread cost 14 coins' }]]));
  const drawn = await (await render(await pdf.getPage(1))).part({ left: 60, top: 60, right: 400, bottom: 110 });
  const made: Docx = {
    body: [
      paragraph(picture('a price list', 'rId10')),
      paragraph('Figure 1: prices', { style: 'Caption' }),
      paragraph(picture('', 'rId11')),
      paragraph('Fees', { style: 'Caption' }),
      table([
        ['x', 'y'],
        ['1', paragraph(picture('in a cell'))],
      ]),
    ].join(''),
    pictures: [await sharp(drawn).png().toBuffer(), Buffer.from('no picture')],
  };
  expect(await blocksOf(made)).toEqual([
    ['Figure', 'a price list'],
    ['Text', 'Figure 1: prices'],
    ['Figure', ''],
    ['Text', 'Fees'],
    ['Table', '| x | y |\n| --- | --- |\n| 1 |  |'],
    ['Figure', 'in a cell'],
  ]);
  const document = await documentOf(world, { bytes: docxOf(made), type }, { table_summary: { enabled: true } });
  const [first, , , , grid] = document.chunks[0]!.blocks;
  expect(first).toMatchObject({
    type: 'Figure',
    content: 'a price list\nBread cost 14 coins',
    source: 'ocr',
    summary: { text: 'Figure 1: prices a price list Bread cost 14 coins' },
  });
  expect(grid!.summary!.text).toMatch(/^Fees /);
  expect(document.notes).toEqual([expect.stringMatching(/word\/media\/image1\.png was not read/)]);
});

const entities = `<?xml version="1.0"?><!DOCTYPE w:document [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:body></w:document>`;
const main = (bytes: string | Uint8Array) => docxOf({ body: '', parts: [{ name: 'word/document.xml', bytes }] });
const nest = (depth: number): string => `${'<w:sdt>'.repeat(depth)}${paragraph('x')}${'</w:sdt>'.repeat(depth)}`;

test.each([
  ['an archive of something else', () => zip([{ name: 'a.txt', bytes: 'x' }]), 'bad_input', /zip archive and no document/],
  ['a workbook', () => workbook({}), 'bad_input', /is a workbook, and not read as a document/],
  [
    'a document whose body is missing',
    () => zip([{ name: '_rels/.rels', bytes: relationships([['officeDocument', 'word/x.xml']]) }]),
    'bad_input',
    /word\/x\.xml is missing/,
  ],
  ['entities that grow', () => main(entities), 'bad_input', /declares a document type/],
  [
    'XML that ends early',
    () => main('<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'),
    'bad_input',
    /no well-formed XML/,
  ],
  ['XML of another kind', () => main('<html/>'), 'bad_input', /<html>, which is no part of a document/],
  ['elements without end', () => docxOf({ body: nest(500) }), 'bad_input', /nests elements more than/],
  ['white space without end', () => main(Buffer.alloc(20 * 1024 ** 2, ' ')), 'bad_input', /more than 16 MiB between two tags/],
  [
    'text without end',
    () => docxOf({ body: paragraph(run('x'.repeat(1024 ** 2)).repeat(32)) }),
    'too_large',
    /^the file holds more than 32 million characters/,
  ],
  ['paragraphs without end', () => docxOf({ body: paragraph('x').repeat(200_001) }), 'too_large', /more than 200000 paragraphs/],
  ['a file that is cut', () => docxOf({ body: paragraph('x') }).subarray(0, 600), 'bad_input', /damaged document/],
] as const)('%s fails with a verdict', async (_, make, verdict, reason) => {
  const { end } = await parsed(world, { bytes: make(), type });
  expect(end).toMatchObject({ status: 'FAILED', verdict, error: expect.stringMatching(reason) });
});

test('a document that is damaged anywhere has a fate, and the next one is read', async () => {
  const whole = docxOf({ body: paragraph('Whole.') });
  for (let at = 0; at < 12; at += 1) {
    const bytes = Buffer.from(whole);
    bytes[Math.floor((at * bytes.byteLength) / 12)]! ^= 0xff;
    const { end, document } = await parsed(world, { bytes, type });
    expect(document ? 'document' : end.verdict).toMatch(/document|bad_input|too_large/);
  }
  expect(await blocksOf({ body: paragraph('Whole.') })).toEqual([['Text', 'Whole.']]);
});
