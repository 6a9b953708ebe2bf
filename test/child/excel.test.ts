import { mkdir, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatKind } from '../../child/inside/formats/excel/number-format.ts';
import { blockSize, createTextBlocks, type Block } from '../../child/inside/formats/excel/text-blocks.ts';
import { serialMoment } from '../../child/inside/formats/excel/serial.ts';
import type { ExcelOptions } from '../../pipelines/source-spec.ts';
import { createBench, refusal, type Bench } from './support.ts';
import { relationships, sheetXml, textRow, workbook, zip, workbookParts, type Made } from './support-workbook.ts';

/** A workbook of another program, made as workbooks/make.py says. */
const made = (name: string): string => fileURLToPath(new URL(`workbooks/${name}.xlsx`, import.meta.url));

type Read = { types: Record<string, string>; rows: (string | null)[][]; hints: string[] };

/** Styles of which the second one names a format that they do not have. */
const unknownFormat =
  '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs><xf numFmtId="0"/><xf numFmtId="200"/></cellXfs></styleSheet>';

/** Types of the columns, and all values as text. */
async function read(bench: Bench, path: string, excel?: ExcelOptions): Promise<Read> {
  const found = await bench.tables.preview(excel ? { path, excel } : path, { rows: 100 });
  return {
    types: Object.fromEntries(found.columns.map(({ name, type }) => [name, type])),
    rows: found.sample,
    hints: found.hints.map(({ column, message }) => `${column}: ${message}`),
  };
}

const readMade = async (bench: Bench, parts: Made, excel?: ExcelOptions): Promise<Read> =>
  read(bench, await bench.file('t.xlsx', workbook(parts)), excel);

const refused = async (bench: Bench, parts: Made, excel?: ExcelOptions): Promise<string> => {
  const path = await bench.file('t.xlsx', workbook(parts));
  const { verdict, message } = await refusal(bench.tables.inspect(excel ? { path, excel } : path));
  expect(['bad_input', 'too_large']).toContain(verdict);
  return message;
};

describe('workbooks of other programs', () => {
  test('values of every kind are those that were written, texts exactly', async () => {
    await using bench = await createBench();
    expect(await read(bench, made('kinds'), { skip: 2 })).toEqual({
      types: {
        id: 'VARCHAR',
        whole: 'BIGINT',
        share: 'DOUBLE',
        day: 'DATE',
        moment: 'TIMESTAMP',
        clock: 'VARCHAR',
        length: 'VARCHAR',
        mixed: 'VARCHAR',
        text: 'VARCHAR',
      },
      rows: [
        ['f1', '1', '0.1', '2024-02-29', '2024-02-29 23:59:58.999', '18:30:00', '36:05:00', '12', ' kept '],
        ['f2', '-9007199254740991', '1e+300', '1999-12-31', '1999-12-31 00:00:00', '00:00:01', '00:00:01', '2024-03-01', 'two\nlines'],
        ['f3', null, '-0.3', null, null, null, null, 'n/a', '007'],
        ['f4', '0', '3.0', '9999-12-31', '2024-01-01 12:00:00', '23:59:59', '240:00:00', '0.5', '#N/A'],
      ],
      hints: [
        'mixed: holds 2 numbers and 1 date and 1 text: they are read as text; where "n/a" (Films!H6) stands for no value, say excel: { nulls: ["n/a"] }',
      ],
    });
  });

  test('without skip the title is the header, and the first value beside it is refused with the option that mends it', async () => {
    await using bench = await createBench();
    expect(await refusal(bench.tables.inspect(made('kinds')))).toEqual({
      verdict: 'bad_input',
      message:
        'kinds.xlsx: Films!B3 holds a value, and B1 has no name for its column: write one, or clear the cell; where the names stand further down, say excel: { skip: 1 }',
    });
    expect((await read(bench, made('kinds'), { skip: 1 })).rows).toHaveLength(4);
  });

  test('days of early 1900 and of the system of 1904 are those that the spreadsheet shows', async () => {
    await using bench = await createBench();
    expect((await read(bench, made('early-1900'))).rows.flat()).toEqual([
      ...['1900-01-01 00:00:00', '1900-01-02 00:00:00', '1900-02-28 00:00:00', '1900-03-01 00:00:00', '1900-03-02 00:00:00'],
      ...['1900-12-31 00:00:00', '1901-01-01 00:00:00', '1900-02-28 18:00:00', '2019-12-31 23:59:59.914'],
    ]);
    expect((await read(bench, made('early-1904'))).rows.flat()).toEqual([
      ...['1904-01-01 00:00:00', '1904-01-02 00:00:00', '1904-02-28 00:00:00', '1904-02-29 00:00:00', '1904-03-01 00:00:00'],
      ...['1904-01-01 06:00:00', '9999-12-30 00:00:00'],
    ]);
  });

  test('a workbook of LibreOffice has the values that it shows, days before March 1900 too, which it counts from another day', async () => {
    await using bench = await createBench();
    expect(await read(bench, made('libreoffice'))).toEqual({
      types: {
        id: 'VARCHAR',
        day: 'DATE',
        moment: 'TIMESTAMP',
        clock: 'VARCHAR',
        length: 'VARCHAR',
        share: 'DOUBLE',
        flag: 'BOOLEAN',
        text: 'VARCHAR',
        positive: 'BOOLEAN',
        twice: 'VARCHAR',
        squares: 'DOUBLE',
      },
      rows: [
        ['f1', '2024-02-29', '2024-02-29 23:59:58', '18:30:00', '36:05:00', '0.125', 'true', '  two spaces ', 'false', '0.25', '0.015625'],
        ['f2', '1900-01-15', '1899-12-29 18:00:00', '00:00:01', '00:00:01', '1.0', 'false', 'line one\nline two', 'true', 'a1', '1.0'],
        ['f3', '9999-12-31', '1904-01-01 12:00:00.5', '23:59:59.999', '240:00:00', '0.0001', null, '007', null, null, null],
      ],
      hints: [expect.stringMatching(/^twice: holds 1 number and 1 text/)],
    });
  });

  test('rich text is joined, escapes are characters, and the header may stand anywhere', async () => {
    await using bench = await createBench();
    expect(await read(bench, made('rich'))).toMatchObject({
      types: { name: 'VARCHAR', ok: 'BOOLEAN' },
      rows: [
        ['plain bold end ', 'true'],
        ['tab\tcarriage\rbell\x07 _x0041_ 漢 🎬', 'false'],
      ],
    });
  });

  test('of several sheets with rows one must be named; hidden ones are read by their names', async () => {
    await using bench = await createBench();
    expect((await refusal(bench.tables.inspect(made('sheets')))).message).toBe(
      'sheets.xlsx: several sheets have rows: Films, Actors; say which one: excel: { sheet: Films }',
    );
    expect((await read(bench, made('sheets'), { sheet: 'Actors' })).rows).toEqual([['Actors', '7']]);
    expect((await read(bench, made('sheets'), { sheet: 'Old' })).rows).toEqual([['Old', '7']]);
    for (const [sheet, message] of [
      ['Actor', /has no sheet 'Actor'; did you mean 'Actors'\?$/],
      ['Empty', /the sheet Empty holds nothing$/],
      ['Chart', /Chart is a chart or a dialog and no sheet with cells; there are Films, Actors, Old \(hidden\), Empty, Chart$/],
    ] as const)
      expect((await refusal(bench.tables.inspect({ path: made('sheets'), excel: { sheet } }))).message).toMatch(message);
    const { sheets } = await bench.tables.preview({ path: made('sheets'), excel: { sheet: 'Films' } });
    expect(sheets).toEqual([{ sheet: 'Films', header: 1, others: ['Actors', 'Old', 'Empty', 'Chart'], files: ['sheets.xlsx'] }]);
  });

  test('a formula that no program has calculated is refused, though a value stands beside it', async () => {
    await using bench = await createBench();
    expect((await refusal(bench.tables.inspect(made('formula')))).message).toBe(
      'formula.xlsx: Sums!B2 is a formula that nobody has calculated; open the workbook in a spreadsheet program and save it',
    );
  });

  test('several workbooks are one table, with the name of the file where it is wanted', async () => {
    await using bench = await createBench();
    await mkdir(join(bench.folder, 'w'));
    await copyFile(made('early-1900'), join(bench.folder, 'w', 'a.xlsx'));
    await copyFile(made('early-1904'), join(bench.folder, 'w', 'b.xlsm'));
    const path = join(bench.folder, 'w', '*.xls*');
    const found = await bench.tables.preview({ path, fileColumn: 'from' }, { rows: 100 });
    expect(found.sample.slice(8, 11)).toEqual([
      ['2019-12-31 23:59:59.914', 'a.xlsx'],
      ['1904-01-01 00:00:00', 'b.xlsm'],
      ['1904-01-02 00:00:00', 'b.xlsm'],
    ]);
    await copyFile(made('sheets'), join(bench.folder, 'w', 'c.xlsx'));
    expect((await refusal(bench.tables.inspect({ path, excel: { sheet: 'Films' } }))).message).toMatch(
      /a\.xlsx: has no sheet 'Films'; there is Sheet$/,
    );
  });
});

describe('what a cell holds', () => {
  const cells = (...each: string[]): string => `${textRow('a')}${each.map((cell) => `<row>${cell}</row>`).join('')}`;

  test.each<[string, Made, string, (string | null)[]]>([
    [
      'whole numbers in every spelling',
      { rows: cells('<c><v>1</v></c>', '<c t="n"><v>2.0</v></c>', '<c><v>1E3</v></c>') },
      'BIGINT',
      ['1', '2', '1000'],
    ],
    [
      'a whole number that is not exact',
      { rows: cells('<c><v>1</v></c>', '<c><v>9007199254740992</v></c>') },
      'DOUBLE',
      ['1.0', '9007199254740992.0'],
    ],
    [
      'an id with more digits than a number holds',
      { rows: cells('<c><v>1</v></c>', '<c><v>12345678901234567</v></c>') },
      'VARCHAR',
      ['1', '12345678901234567'],
    ],
    ['truth values', { rows: cells('<c t="b"><v>1</v></c>', '<c t="b"><v>0</v></c>') }, 'BOOLEAN', ['true', 'false']],
    [
      'no value',
      { rows: cells('<c t="e"><v>#N/A</v></c>', '<c><v>5</v></c>', '<c s="0"/>', '<c t="str"><f>""</f><v></v></c>') },
      'BIGINT',
      ['5'],
    ],
    [
      'a shared text with runs and how it is spoken',
      {
        strings: '<si><r><t>ka</t></r><rPh sb="0" eb="1"><t>KA</t></rPh><r><t xml:space="preserve">na </t></r></si>',
        rows: cells('<c t="s"><v>0</v></c>'),
      },
      'VARCHAR',
      ['kana '],
    ],
    ['a calculated formula', { rows: cells('<c><f>1+1</f><v>2</v></c>', '<c><f t="shared" si="0"/><v>3</v></c>') }, 'BIGINT', ['2', '3']],
    [
      'dates that are written out',
      { rows: cells('<c t="d"><v>2024-01-02</v></c>', '<c t="d"><v>2024-01-02T03:04:05.678</v></c>') },
      'TIMESTAMP',
      ['2024-01-02 00:00:00', '2024-01-02 03:04:05.678'],
    ],
    ['what is no date of this calendar', { rows: cells('<c t="d"><v>2023-02-29</v></c>') }, 'VARCHAR', ['2023-02-29']],
    ['a duration below zero', { formats: ['[h]:mm'], rows: cells('<c s="1"><v>-1.5</v></c>') }, 'VARCHAR', ['-36:00:00']],
    ['an escape of an escape', { rows: cells('<c t="str"><v>_x005F_x000D_ _x000D_</v></c>') }, 'VARCHAR', ['_x000D_ \r']],
    [
      'a long whole number beside texts keeps its digits',
      { rows: cells('<c><v>12345678901234568</v></c>', '<c><v>1000000000000000000000</v></c>', '<c t="str"><v>a1</v></c>') },
      'VARCHAR',
      ['12345678901234568', '1000000000000000000000', 'a1'],
    ],
    [
      'values of a calculated array',
      { rows: cells('<c><f t="array" ref="A2:A3">1</f><v>1</v></c>', '<c><v>2</v></c>', '<c><v>3</v></c>') },
      'BIGINT',
      ['1', '2', '3'],
    ],
    ['texts of CDATA and entities', { rows: cells('<c t="str"><v><![CDATA[<b>]]> &amp; &#x41;</v></c>') }, 'VARCHAR', ['<b> & A']],
  ])('%s', async (_, parts, type, values) => {
    await using bench = await createBench();
    expect(await readMade(bench, parts)).toMatchObject({ types: { a: type }, rows: values.map((value) => [value]) });
  });

  test.each<[string, Made, RegExp, ExcelOptions?]>([
    ['an error', { rows: cells('<c t="e"><v>#DIV/0!</v></c>') }, /T!A2 holds the error #DIV\/0!; mend its formula or clear the cell/],
    ['a formula without a value', { rows: cells('<c><f>1+1</f><v/></c>') }, /T!A2 is a formula that nobody has calculated/],
    [
      'a workbook that asks for a calculation',
      { calculation: '<calcPr fullCalcOnLoad="1"/>', rows: cells('<c><f>1</f><v>0</v></c>') },
      /T!A2 is a formula that nobody/,
    ],
    [
      'a cell that an array above the table fills, which nobody has calculated',
      {
        calculation: '<calcPr fullCalcOnLoad="1"/>',
        rows: '<row><c><f t="array" ref="A1:A2">1</f><v>0</v></c></row><row><c><v>1</v></c></row>',
      },
      /T!A2 is a formula that nobody/,
      { skip: 1, header: false },
    ],
    ['two values', { rows: cells('<c><v>1</v><v>2</v></c>') }, /A2 holds two values/],
    ['a value beside a text', { rows: cells('<c t="inlineStr"><is><t>q</t></is><v>0</v></c>') }, /A2 holds two values/],
    ['a text where a number is said to be', { rows: cells('<c><is><t>q</t></is></c>') }, /A2 holds a text and has the type "n"/],
    ['an element within a value', { rows: cells('<c><v>1<x/>2</v></c>') }, /the text of A2 holds <x>/],
    [
      'an element within a shared text',
      { strings: '<si><t>a<x/>b</t></si>', rows: cells('<c t="s"><v>0</v></c>') },
      /a text of xl\/sharedStrings\.xml holds <x>/,
    ],
    [
      'a typed number of 17 digits in a column of texts',
      { rows: cells('<c t="str"><v>a1</v></c>', '<c><v>1.23456789012345E+16</v></c>') },
      /T!A3 holds the number 12345678901234500 in a column of texts: .* 15 digits/,
    ],
    [
      '29 February 1900',
      { formats: ['yyyy-mm-dd'], rows: cells('<c s="1"><v>60</v></c>') },
      /T!A2 has the format of a date and holds 60, which is none/,
    ],
    ['day 0', { formats: ['yyyy-mm-dd'], rows: cells('<c s="1"><v>0</v></c>') }, /T!A2 has the format of a date and holds 0/],
    ['a day beyond 9999', { formats: ['yyyy-mm-dd'], rows: cells('<c s="1"><v>2958466</v></c>') }, /T!A2 has the format of a date/],
    ['no number', { rows: cells('<c><v>0x10</v></c>') }, /T!A2 holds "0x10", which is no number/],
    [
      'a value that is said to be a text within its cell',
      { rows: cells('<c t="inlineStr"><v>7</v></c>') },
      /A2 holds a value and has the type "inlineStr"/,
    ],
    ['a number that is said to be a written date', { rows: cells('<c t="d"><v>13</v></c>') }, /T!A2 is said to be a date .* holds "13"/],
    [
      'a format that is not there',
      { parts: { 'xl/styles.xml': unknownFormat }, rows: cells('<c s="1"><v>45000</v></c>') },
      /has the format 200, which/,
    ],
    [
      'a style where no styles are named',
      {
        parts: { 'xl/_rels/workbook.xml.rels': relationships([['worksheet', 'worksheets/sheet1.xml']]) },
        rows: cells('<c s="1"><v>45000</v></c>'),
      },
      /has the style 1, and no styles/,
    ],
    ['a text that is not there', { rows: cells('<c t="s"><v>3</v></c>') }, /names the text 3, which the workbook does not have/],
    ['a style that is not there', { rows: cells('<c s="9"><v>3</v></c>') }, /has the style 9/],
    [
      'half a character of a shared text',
      { strings: '<si><t>a_xD800_b</t></si>', rows: cells('<c t="s"><v>0</v></c>') },
      /holds half a character \(a lone surrogate\) in "a\\ud800b"/,
    ],
    ['half a character', { rows: cells('<c t="str"><v>_xD800_</v></c>') }, /T!A2 holds half a character/],
    ['an unknown type', { rows: cells('<c t="z"><v>3</v></c>') }, /T!A2 has the unknown type "z"/],
  ])('%s is refused by its cell', async (_, parts, message, excel) => {
    await using bench = await createBench();
    expect(await refused(bench, parts, excel)).toMatch(message);
  });
});

describe('where the table is', () => {
  test('names that are missing or there twice are refused with their cells', async () => {
    await using bench = await createBench();
    expect(await refused(bench, { rows: `${textRow('a', '', 'c')}${textRow('1', '2', '3')}` })).toMatch(
      /^t\.xlsx: T!B2 holds a value, and B1 has no name/,
    );
    expect(await refused(bench, { rows: `${textRow('a', 'b', 'A')}${textRow('1', '2', '3')}` })).toMatch(
      /^t\.xlsx: T!C1 names a column "A", and so does A1/,
    );
    expect(await refused(bench, { rows: `${textRow('a_x0000_b')}${textRow('1')}` })).toMatch(/^t\.xlsx: T!A1 has a NUL character/);
    expect(await refused(bench, { rows: textRow('a', 'b') })).toMatch(
      /the sheet T has names in row 1 and no rows; .* excel: \{ header: false \}$/,
    );
  });

  test('without a header the columns have their letters', async () => {
    await using bench = await createBench();
    const rows = '<row r="2"><c r="AB2"><v>1</v></c></row><row r="5"><c r="B5"><v>2</v></c></row>';
    expect(await readMade(bench, { rows }, { header: false })).toMatchObject({
      types: { B: 'BIGINT', AB: 'BIGINT' },
      rows: [
        [null, '1'],
        ['2', null],
      ],
    });
  });

  test('numbers that may have lost their last digits are said, others are not', async () => {
    await using bench = await createBench();
    const column = async (...values: string[]): Promise<string[]> =>
      (await readMade(bench, { rows: `${textRow('a')}${values.map((value) => `<row><c><v>${value}</v></c></row>`).join('')}` })).hints;
    expect(await column('1.23456789012345E+16', '4111111111111110')).toEqual([
      'a: holds 2 numbers of more than 15 digits, all of which end in zeros (T!A2): a spreadsheet program keeps no more of a typed number; ids belong in cells of text',
    ]);
    expect(await column('4111111111111110', '4111111111111111')).toEqual([]);
    expect(await column('1E300', '0.5')).toEqual([]);
  });

  test('texts that stand for no value leave a column its type', async () => {
    await using bench = await createBench();
    const rows = `${textRow('a')}${textRow('-')}<row><c><v>1</v></c></row>`;
    expect(await readMade(bench, { rows }, { nulls: ['-'] })).toMatchObject({ types: { a: 'BIGINT' }, rows: [['1']] });
  });

  test('the last column that a sheet can have is one', async () => {
    await using bench = await createBench();
    const rows = `${textRow('a')}<row r="2"><c r="A2"><v>1</v></c><c r="XFD2"/></row>`;
    expect((await readMade(bench, { rows })).rows).toEqual([['1']]);
  });

  test.each([
    ['<row><c r="A2"><v>1</v></c></row>', /row 1 has a cell "A2"/],
    ['<row><c r="XFE1"><v>1</v></c></row>', /row 1 has a cell "XFE1"/],
    ['<row><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c></row>', /the cell A1 is there twice/],
    ['<row r="2"/><row r="2"/>', /row 2 stands behind row 2/],
    ['<row r="1048577"/>', /row 1048577 stands behind row 0/],
  ])('%s is no sheet', async (rows, message) => {
    await using bench = await createBench();
    expect(await refused(bench, { rows })).toMatch(message);
  });
});

test.each<[string, (parts: Made) => Uint8Array, RegExp]>([
  ['a checksum that is another', (m) => zip(workbookParts(m).map((part) => ({ ...part, crc: 7 }))), /has another checksum/],
  ['a size that is another', (m) => zip(workbookParts(m).map((part) => ({ ...part, size: 7 }))), /is a damaged workbook: too many bytes/],
  [
    'parts with a password',
    (m) => zip(workbookParts(m).map((part) => ({ ...part, isEncrypted: true }))),
    /is encrypted; save it without a password/,
  ],
  ['a part twice', (m) => zip([...workbookParts(m), { name: 'XL/workbook.xml', bytes: '' }]), /it has the part XL\/workbook\.xml twice/],
  [
    'two sheets of one name',
    (m) =>
      workbook({
        ...m,
        sheets: '<sheet name="T" sheetId="1" r:id="rId1"/><sheet name="t" sheetId="2" r:id="rId1"/>',
      }),
    /has two sheets of one name, T and t \(case is ignored\)/,
  ],
  ['no end', (m) => workbook(m).subarray(0, -30), /is a damaged workbook: /],
  [
    'no sheet behind its name',
    (m) => workbook({ ...m, parts: { 'xl/worksheets/sheet1.xml': undefined } }),
    /the part xl\/worksheets\/sheet1\.xml is missing/,
  ],
  ['no workbook', () => zip([{ name: 'rows.csv', bytes: 'a\n1\n' }]), /is a zip archive and no workbook; unpack it first/],
  [
    'binary parts',
    () => zip([{ name: '_rels/.rels', bytes: relationships([['officeDocument', 'xl/workbook.bin']]) }]),
    /is a binary workbook \(\.xlsb\)/,
  ],
  ['a document type', (m) => workbook({ ...m, rows: `<!DOCTYPE w [<!ENTITY a "b">]>${sheetXml(m.rows!)}` }), /declares a document type/],
  ['elements without end', (m) => workbook({ ...m, rows: sheetXml('<a>'.repeat(300)) }), /nests elements more than 256 deep/],
  ['elements that do not end', (m) => workbook({ ...m, rows: sheetXml(`${m.rows}<row>`) }), /is no well-formed XML/],
  [
    'another encoding',
    (m) => workbook({ ...m, rows: `<?xml version="1.0" encoding="windows-1252"?>${sheetXml(m.rows!)}` }),
    /is written in windows-1252/,
  ],
  [
    'bytes that are no UTF-8',
    (m) => workbook({ ...m, parts: { 'xl/worksheets/sheet1.xml': Buffer.from(sheetXml(textRow('\xfc')), 'latin1') } }),
    /is no text in UTF-8/,
  ],
  ['another document', (m) => workbook({ ...m, rows: '<!-- --><html/>' }), /is <html>, which is no part of a workbook/],
])('a workbook with %s is refused', async (_, change, message) => {
  await using bench = await createBench();
  const path = await bench.file('t.xlsx', change({ rows: `${textRow('a')}${textRow('1')}` }));
  expect(await refusal(bench.tables.inspect(path))).toEqual({ verdict: 'bad_input', message: expect.stringMatching(message) });
});

test.each<[string, string, RegExp]>([
  ['t.xlsx', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', /is encrypted, or a workbook of Excel 97 \(\.xls\)/],
  ['t.xls', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', /is a workbook of Excel 97 \(\.xls\), which is not supported; save it as \.xlsx$/],
  ['t.xlsb', 'PK\x03\x04', /is a binary workbook \(\.xlsb\)/],
  ['t.ods', 'PK\x03\x04', /is an OpenDocument spreadsheet \(\.ods\)/],
  ['t.xlsx', 'a;b\n1;2\n', /is not an Excel workbook: it does not begin with PK$/],
  ['films', `PK\x03\x04${'\0'.repeat(26)}[Content_Types].xml`, /is a file of an Office program; .* end its name in \.xlsx$/],
])('%s that begins with %j is refused by what it is', async (name, bytes, message) => {
  await using bench = await createBench();
  expect((await refusal(bench.tables.inspect(await bench.file(name, Buffer.from(bytes, 'latin1'))))).message).toMatch(message);
});

test.each([
  ['worksheets/a%20sheet.xml', 'xl/worksheets/a sheet.xml'],
  ['worksheets/a%20sheet.xml', 'xl/worksheets/a%20sheet.xml'],
  ['worksheets/a sheet.xml', 'xl/worksheets/a%20Sheet.xml'],
  ['worksheets/100%.xml', 'xl/worksheets/100%.xml'],
])('the part that is named %j is %j', async (target, name) => {
  await using bench = await createBench();
  const parts = {
    'xl/_rels/workbook.xml.rels': relationships([['worksheet', target]]),
    'xl/worksheets/sheet1.xml': undefined,
    [name]: sheetXml(`${textRow('a')}${textRow('x')}`),
  };
  expect((await readMade(bench, { parts })).rows).toEqual([['x']]);
});

test('a workbook that unpacks to more than a request may is refused, however small it is', async () => {
  await using bench = await createBench({ tempGiB: 0.05 });
  const bomb = workbook({ rows: `${textRow('a')}${'<row><c><v>1</v></c><c s="0"/><c s="0"/><c s="0"/></row>'.repeat(1_000_000)}` });
  expect(bomb.length).toBeLessThan(1024 * 1024);
  expect(await refusal(bench.tables.inspect(await bench.file('t.xlsx', bomb)))).toEqual({
    verdict: 'too_large',
    message: 't.xlsx: is more than 0.05 GiB unpacked; cut it into several workbooks',
  });
});

test('a long text that many cells name is refused before it is written out for each of them', async () => {
  await using bench = await createBench();
  const cells = '<c t="s"><v>0</v></c>'.repeat(5_000);
  const header = `<row>${Array.from({ length: 5_000 }, (_, at) => `<c><v>${at}</v></c>`).join('')}</row>`;
  const parts = { strings: `<si><t>${'x'.repeat(1_000_000)}</t></si>`, rows: `${header}<row>${cells}</row>` };
  expect(await refused(bench, parts)).toBe('t.xlsx: row 2 of T holds more than 16,777,216 characters');
});

test('options of another type of files are refused', async () => {
  await using bench = await createBench();
  const path = await bench.file('t.csv', 'a\n1\n');
  expect((await refusal(bench.tables.inspect({ path, excel: { sheet: 'T' } }))).message).toBe(
    't.csv: is CSV and not Excel; take excel: away',
  );
  expect((await refusal(bench.tables.inspect({ path: made('rich'), csv: { skip: 1 } }))).message).toBe(
    'rich.xlsx: is Excel and not CSV; take csv: away',
  );
});

test('a format that may be one of numbers and one of dates is refused, and not guessed at', async () => {
  await using bench = await createBench();
  const path = await bench.file(
    't.xlsx',
    workbook({ formats: ['yyyy-0m-dd'], rows: `${textRow('a')}<row><c s="1"><v>45000</v></c></row>` }),
  );
  expect((await refusal(bench.tables.inspect({ path }))).message).toContain(
    'has the format yyyy-0m-dd, which is neither one of numbers nor one of dates',
  );
});

test('a duration can be made seconds in an expression', async () => {
  await using bench = await createBench();
  const path = await bench.file('t.xlsx', workbook({ formats: ['[h]:mm'], rows: `${textRow('a')}<row><c s="1"><v>1.5</v></c></row>` }));
  const { rows } = await bench.rows(await bench.shard({ source: path, columns: { seconds: 'epoch(a::interval)' } }));
  expect(rows).toMatchObject([{ seconds: 129_600 }]);
});

test.each<[string, ReturnType<typeof formatKind>]>([
  ['General', undefined],
  ['0.00E+00', undefined],
  ['#,##0;"days" d', undefined],
  ['0.00 "h";[Red]-0.00', undefined],
  ['[Red]0\\d', undefined],
  ['_(* #,##0_);_(@_)', undefined],
  ['0 days', undefined],
  ['#,##0.0 USD', undefined],
  ['[$-409]d-mmm-yy;@', 'date'],
  ['mmm', 'date'],
  ['ggge"年"m"月"d"日"', 'date'],
  ['[$-F400]h:mm:ss AM/PM', 'time'],
  ['mm:ss.0', 'time'],
  ['[hh]:mm', 'duration'],
  ['[mm]:ss', 'duration'],
  ['yyyy-mm-dd hh:mm', 'date'],
  ['yyyy-mm-dd hh:mm:ss.020', 'unclear'],
  ['hh:0m', 'unclear'],
])('numbers with the format %j are of the kind %s', (code, kind) => expect(formatKind(code)).toBe(kind));

/** Texts in blocks, of which so many bytes are held at once; counts the bytes that are read. */
function textBlocks(texts: readonly string[], held: number): { find: ReturnType<typeof createTextBlocks>; read(): number; all: number } {
  const bytes = texts.map((text) => Buffer.from(text));
  const file = Buffer.concat(bytes);
  const blocks: Block[] = [];
  for (let at = 0, from = 0; at < texts.length; at += blockSize) {
    let end = 0;
    blocks.push({ from, ends: Float64Array.from(bytes.slice(at, at + blockSize), ({ length }) => (end += length)) });
    from += end;
  }
  let read = 0;
  const find = createTextBlocks(
    blocks,
    (into, from) => {
      file.copy(into, 0, from);
      read += into.length;
    },
    held,
  );
  return { find, read: () => read, all: file.length };
}

test('shared texts are those of their numbers in any order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { minLength: 1, maxLength: 5 * blockSize }),
      fc.array(fc.nat(), { maxLength: 2_000 }),
      (texts, wanted) => {
        const { find } = textBlocks(texts, 4_096);
        for (const number of wanted) expect(find(number % texts.length)).toBe(texts[number % texts.length]);
        expect(find(texts.length)).toBeUndefined();
      },
    ),
    { numRuns: 50 },
  );
});

test('shared texts that cells name in any order are read once, not with all of their block each time', () => {
  const texts = Array.from({ length: 40 * blockSize }, (_, at) => `text ${at}`);
  const scattered = texts.map((_, at) => ((at % 40) * 7 * blockSize + Math.floor(at / 40)) % texts.length);
  for (const order of [texts.keys(), scattered, [...texts.keys()].toReversed()]) {
    const { find, read, all } = textBlocks(texts, 8_192);
    for (const at of order) expect(find(at)).toBe(texts[at]);
    expect(read() / all).toBeLessThan(1.1);
  }
});

test('the last moment of a day is no hour 24', () =>
  expect(serialMoment(0.9999999999, 'time', '1900')).toEqual({ kind: 'text', text: '00:00:00' }));

test('each millisecond of each day has one number, and is found again by it', () => {
  const first = Date.UTC(1904, 0, 1);
  fc.assert(
    fc.property(fc.integer({ min: first, max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) }), (ms) => {
      const [since1904, since1900] = [(ms - first) / 86_400_000, (ms - Date.UTC(1899, 11, 30)) / 86_400_000];
      for (const [serial, system] of [
        [since1904, '1904'],
        [since1900, '1900'],
      ] as const) {
        const { kind, text } = serialMoment(serial, 'date', system)!;
        expect(Date.parse(kind === 'date' ? text : `${text}Z`)).toBe(ms);
        expect(kind).toBe(ms % 86_400_000 === 0 ? 'date' : 'timestamp');
      }
    }),
    { numRuns: 2_000 },
  );
});

test('before March 1900 a day has the number of days since 31 December 1899', () => {
  for (let day = 1; day < 60; day += 1)
    expect(serialMoment(day, 'date', '1900')).toEqual({ kind: 'date', text: new Date(Date.UTC(1900, 0, day)).toISOString().slice(0, 10) });
});
