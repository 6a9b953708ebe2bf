import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvOptions } from '../../pipelines/steps/source.ts';
import type { CsvOptions } from '../../pipelines/source-spec.ts';
import { createBench, refusal, type Bench } from './support.ts';

/** The rows of a CSV text as a dataset would have them. */
async function rowsOf(bench: Bench, text: string | Uint8Array, csv?: CsvOptions): Promise<unknown[][]> {
  const path = await bench.file('rows.csv', text);
  const { rows } = await bench.rows(await bench.shard({ source: csv ? { path, csv } : path }));
  return rows.map(({ id_: _id, ...row }) => Object.values(row));
}

const typesOf = async (bench: Bench, text: string): Promise<string[]> =>
  (await bench.tables.inspect(await bench.file('types.csv', text))).columns.map(({ type }) => type);

const utc = (year: number, month: number, day: number, hour = 0): number => Date.UTC(year, month - 1, day, hour);

describe('dates', () => {
  test('are read where every value of the column is one, and else the column stays text', async () => {
    await using bench = await createBench();
    expect(await rowsOf(bench, 'd\n2024-03-08\n2024-12-31\n')).toEqual([[utc(2024, 3, 8)], [utc(2024, 12, 31)]]);
    for (const other of ['03/10/2024', '1.2.20', 'soon', '2024-13-01'])
      expect(await rowsOf(bench, `d\n2024-03-08\n${other}\n`)).toEqual([['2024-03-08'], [other]]);
  });

  test('a value of the last row has its say like one of the first', async () => {
    await using bench = await createBench();
    const many = Array.from({ length: 30_000 }, () => '2024-03-08').join('\n');
    expect((await rowsOf(bench, `d\n${many}\n25/04/2024 10:00:00\n`)).at(-1)).toEqual(['25/04/2024 10:00:00']);
  });

  test.each([
    ['25/04/2024\n05/06/2024', [utc(2024, 4, 25), utc(2024, 6, 5)]],
    ['04/25/2024\n05/06/2024', [utc(2024, 4, 25), utc(2024, 5, 6)]],
    ['25.04.2024 10:00:00\n05.06.2024 11:00:00', [utc(2024, 4, 25, 10), utc(2024, 6, 5, 11)]],
    ['2024/04/25\n2024/06/05', [utc(2024, 4, 25), utc(2024, 6, 5)]],
  ])('%j says by itself what is day and what is month', async (values, times) => {
    await using bench = await createBench();
    expect(await rowsOf(bench, `d\n${values}\n`)).toEqual(times.map((time) => [time]));
  });

  test('of which nothing says whether the day comes first stay text, and the file may say it', async () => {
    await using bench = await createBench();
    const text = 'd\n10/08/2008\n05/06/2024\n';
    expect(await rowsOf(bench, text)).toEqual([['10/08/2008'], ['05/06/2024']]);
    const found = await bench.tables.preview(await bench.file('rows.csv', text));
    expect(found.hints).toEqual([{ column: 'd', message: expect.stringMatching(/'%d\/%m\/%Y' } or { dateFormat: '%m\/%d\/%Y'/) }]);
    expect(await rowsOf(bench, text, { dateFormat: '%m/%d/%Y' })).toEqual([[utc(2008, 10, 8)], [utc(2024, 5, 6)]]);
    expect(await rowsOf(bench, text, { dateFormat: '%d/%m/%Y' })).toEqual([[utc(2008, 8, 10)], [utc(2024, 6, 5)]]);
    expect(await refusal(rowsOf(bench, text, { dateFormat: '%d.%m.%Y' }))).toMatchObject({
      verdict: 'bad_input',
      message: expect.stringMatching(/the format '%d\.%m\.%Y' fits all values of no column/),
    });
  });

  test('with a year of two digits are of our time, whatever format they are said to have', async () => {
    await using bench = await createBench();
    expect(await refusal(rowsOf(bench, 'd\n31/12/24\n', { dateFormat: '%d/%m/%Y' }))).toMatchObject({
      message: expect.stringContaining("the format '%d/%m/%Y' fits all values of no column"),
    });
    expect(await rowsOf(bench, 'd\n31/12/24\n', { dateFormat: '%d/%m/%y' })).toEqual([[utc(2024, 12, 31)]]);
    // The day that stands for none has a year of four digits.
    expect(await rowsOf(bench, 'd\n01/01/0001\n', { dateFormat: '%d/%m/%Y' })).toEqual([[Date.parse('0001-01-01T00:00:00Z')]]);
    expect(await rowsOf(bench, 'd\n31/12/24\n', { types: { d: 'DATE' } })).toEqual([[utc(2024, 12, 31)]]);
    expect(await refusal(rowsOf(bench, 'd\n05/06/24\n', { types: { d: 'DATE' } }))).toMatchObject({
      message: expect.stringContaining("say csv: { dateFormat: '%d/%m/%y' } or '%m/%d/%y'"),
    });
  });

  test('that contradict each other are no dates, and no value of them is lost', async () => {
    await using bench = await createBench();
    expect(await rowsOf(bench, 't\n25/04/2024 10:00:00\n05/31/2024 11:00:00\n2024-01-02 10:00:00\n')).toEqual([
      ['25/04/2024 10:00:00'],
      ['05/31/2024 11:00:00'],
      ['2024-01-02 10:00:00'],
    ]);
  });

  test('with a zone are the instants that they say', async () => {
    await using bench = await createBench();
    expect(await rowsOf(bench, 't\n2024-01-02T10:00:00+02:00\n2024-01-02 10:00:00.1239999Z\n')).toEqual([
      [utc(2024, 1, 2, 8)],
      [utc(2024, 1, 2, 10) + 123],
    ]);
  });
});

test('whatever the texts of a column are, each becomes a value or its row a refusal with a reason', async () => {
  await using bench = await createBench();
  const text = fc.constantFrom(
    ...['', '1', '-7', '007', '1.5', '1e3', 'nan', 'true', 'F', '2024-01-02', '2024-01-02 10:00', '10:00', '25/04/2024', '04/25/2024'],
    ...['1,5', '12345678901234567890', 'x', "it's", '1_000', '0x10', '2024-02-30', '1.2.20', ' 3', 'null', 'NULL', 'inf', '-'],
  );
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 8 }), async (texts) => {
      const source = await bench.file('any.csv', `k,v\n${texts.map((value, at) => `r${at},"${value}"`).join('\n')}\n`);
      // A dataset has no place for truth values: such a column is refused as a whole.
      if (texts.some((each) => each !== '') && texts.every((each) => ['', 'true'].includes(each))) {
        expect(await refusal(bench.shard({ source, id: { column: 'k' } }))).toMatchObject({ message: expect.stringMatching(/BOOLEAN/) });
        return;
      }
      const result = await bench.shard({ source, id: { column: 'k' } });
      const { ids, rows } = await bench.rows(result);
      expect(result.sent + result.rejected).toBe(texts.length);
      expect(await bench.rejects(result)).toHaveLength(result.rejected);
      // A null only where nothing stood; numbers and times where the text is one.
      ids.forEach((id, at) => {
        const [written, read] = [texts[Number(id.slice(1))]!, rows[at]!['v']];
        if (read === null || read === 'null') expect(['', 'null']).toContain(written);
        else if (typeof read === 'string') expect(read.toLowerCase()).toBe(written.toLowerCase());
        else expect(Number.isFinite(read)).toBe(true);
      });
    }),
    { numRuns: 60 },
  );
});

test('whole numbers beyond 64 bits are texts, and nothing else is proposed for them', async () => {
  await using bench = await createBench();
  const path = await bench.file('rows.csv', 'n\n9007199254740993\n12345678901234567890\n1\n');
  expect((await bench.tables.preview(path)).hints).toEqual([]);
});

test.each<[string, string, CsvOptions, unknown[]]>([
  [
    'n\n1\nNA\n2.5\n',
    'its values are numbers or dates but for "NA": they stay text; where that is no value, say csv: { nulls: ["NA"] }',
    { nulls: ['NA'] },
    [1, null, 2.5],
  ],
  [
    'n\n1,5\n"2.000,5"\n'.replaceAll('1,5', '"1,5"'),
    'numbers with a comma before their decimals: they stay text; say csv: { decimal: "," }',
    { decimal: ',' },
    [1.5, 2000.5],
  ],
])('what %j could be is said by preview, and read so where the file says it', async (text, hint, csv, values) => {
  await using bench = await createBench();
  const path = await bench.file('rows.csv', text);
  expect((await bench.tables.preview(path)).hints).toEqual([{ column: 'n', message: hint }]);
  expect((await bench.tables.preview({ path, csv })).hints).toEqual([]);
  expect((await rowsOf(bench, text, csv)).map(([value]) => value)).toEqual(values);
});

test('words that stand for no value are no hint where a column has nothing else', async () => {
  await using bench = await createBench();
  const { hints } = await bench.tables.preview(await bench.file('rows.csv', 'n,t\nNA,x\n-,NA\n'));
  expect(hints).toEqual([]);
});

test.each<[string, string, { column: string; message: string }[]]>([
  [
    'a title above the names',
    'Films of 2024\nid,title,year\n1,Up,2009\n2,Heat,1995\n',
    [
      {
        column: 'Films of 2024',
        message: 'the lines behind line 1 have 3 values each: where that is a title, say csv: { skip: 1 }',
      },
    ],
  ],
  [
    'several titles and a blank line',
    'Source: x\nDate: 2024, May\n\nid;title;year\n1;"Up;\nup";2009\n2;Heat;1995\n',
    [{ column: 'Source: x', message: expect.stringMatching(/^the lines behind lines 1 to 3 .*say csv: { skip: 3 }$/) as string }],
  ],
  [
    'a title of a spreadsheet',
    'Films of 2024,,\nid,title,year\n1,Up,2009\n',
    [{ column: 'Films of 2024', message: 'line 1 names one of 3 columns: where that is a title, say csv: { skip: 1 }' }],
  ],
  [
    'a title of a spreadsheet above rows without names',
    'Films of 2024,,\n1,2,3\n4,5,6\n',
    [{ column: 'Films of 2024', message: 'line 1 names one of 3 columns: where that is a title, say csv: { skip: 1 }' }],
  ],
  [
    'a title below blank lines',
    '\n \nFilms of 2024\nid,title,year\n1,Up,2009\n2,Heat,1995\n',
    [{ column: 'column0', message: expect.stringMatching(/^the lines behind lines 1 to 3 .*say csv: { skip: 3 }$/) as string }],
  ],
  [
    'a title of a spreadsheet below a blank line',
    '\nFilms of 2024,,\nid,title,year\n1,Up,2009\n',
    [{ column: 'Films of 2024', message: 'line 2 names one of 3 columns: where that is a title, say csv: { skip: 2 }' }],
  ],
  [
    'names that are there twice',
    'a,b,A\n1,2,3\n',
    [
      {
        column: 'A_1',
        message: 'the header names two columns "A" (case is ignored): column 3 is called A_1, column 1 keeps the name',
      },
    ],
  ],
  ['one column of names', 'name\nCurie, Marie\nBohr, Niels\n', []],
  ['one column of texts', 'text\nA line, with one\nnone\nand, two, of them\n', []],
  ['one column of lists', 'text\nMarie, Irene, Eve\nNiels, Aage, Ernst\n', []],
  ['one column of addresses', 'url\nhttp://x/a;b\nhttp://x/c;d\n', []],
  ['a first column without a name', ',a,b\n0,1,2\n', []],
  [
    'names that differ in a space',
    'a,b," A"\n1,2,3\n',
    [{ column: 'A_1', message: 'the header names two columns "A" (case is ignored): column 3 is called A_1, column 1 keeps the name' }],
  ],
  ['a plain table', 'a,b\n1,2\n3,4\n', []],
])('%s', async (_, text, expected) => {
  await using bench = await createBench();
  expect((await bench.tables.preview(await bench.file('rows.csv', text))).hints).toEqual(expected);
});

test('a title with fewer values than the rows below it is refused with what to skip', async () => {
  await using bench = await createBench();
  const path = await bench.file('rows.csv', 'Films, of 2024\nid,title,year\n1,Up,2009\n2,Heat,1995\n');
  expect((await refusal(bench.tables.inspect(path))).message).toMatch(/has 3 values.* where that is a title, say csv: { skip: 1 }$/);
  expect((await bench.tables.inspect({ path, csv: { skip: 1 } })).rows).toBe(2);
});

test('a title behind the lines that are skipped is said with all that is to be skipped', async () => {
  await using bench = await createBench();
  const path = await bench.file('rows.csv', 'Films of 2024\nfrom a list\nid,title,year\n1,Up,2009\n2,Heat,1995\n');
  const { hints } = await bench.tables.preview({ path, csv: { skip: 1 } });
  expect(hints).toMatchObject([
    { column: 'from a list', message: expect.stringMatching(/^the lines behind lines 1 to 2 .*say csv: { skip: 2 }$/) as string },
  ]);
});

test.each([
  ['a title over two lines', '"Films\nof 2024"\n', 1],
  ['such a title of a spreadsheet', '"Films\nof 2024",,\n', 1],
  ['a blank line within it', '"Films\n\nof 2024",,\n', 1],
  ['two of them', '"Films\nof 2024"\n"and\nmore"\n', 2],
  ['a part of it behind another value', 'x,"Films\nof 2024"\n', 1],
  ['a quote that opens no value', 'Films "of\n2024"\n', 2],
  ['a byte order mark before it', '\uFEFF"Films\nof 2024"\n', 2],
  ['a byte order mark, and as many values in the next line', '\uFEFF"Films\nof, at last, 2024"\n', 2],
])('%s: what is advised gives the header, and no more is advised then', async (_, title, skip) => {
  await using bench = await createBench();
  const path = await bench.file('rows.csv', `${title}id,title,year\n1,Up,2009\n2,Heat,1995\n`);
  const said = await bench.tables.preview(path).then(
    ({ hints }) => hints.map(({ message }) => message).join('\n'),
    ({ message }: Error) => message,
  );
  expect(said).toMatch(new RegExp(`say csv: { skip: ${skip} }$`));
  const { columns, hints, rows } = await bench.tables.preview({ path, csv: { skip } });
  expect({ names: columns.map(({ name }) => name), hints, rows }).toEqual({ names: ['id', 'title', 'year'], hints: [], rows: 2 });
});

test('a title that the engine would not skip as it stands is followed by no advice', async () => {
  await using bench = await createBench();
  const path = await bench.file('rows.csv', '"Films\nof ""2024"""\nid,title,year\n1,Up,2009\n2,Heat,1995\n');
  expect((await bench.tables.preview(path)).hints).toEqual([]);
});

test('a row that is wrong below a title over two lines is named by its line in the file', async () => {
  await using bench = await createBench();
  const path = await bench.file('rows.csv', '"Films\nof 2024"\nid,title,year\n1,Up,2009\n2,Heat\n');
  const { message } = await refusal(bench.tables.inspect({ path, csv: { skip: 1 } }));
  expect(message).toBe('rows.csv: line 5 has 2 values, and the first line has 3');
});

test('numbers with a decimal comma in a column that is said to be numbers are refused with the option that reads them', async () => {
  await using bench = await createBench();
  const path = await bench.file('rows.csv', 'n\n"1,5"\n"2,75"\n');
  expect((await refusal(bench.tables.inspect({ path, csv: { types: { n: 'DOUBLE' } } }))).message).toMatch(/say csv: { decimal: "," }$/);
  expect((await refusal(bench.tables.inspect({ path, csv: { types: { n: 'BIGINT' } } }))).message).toMatch(/say csv: { nulls: /);
  expect(await rowsOf(bench, 'n\n"1,5"\n"2,75"\n', { types: { n: 'DOUBLE' }, decimal: ',' })).toEqual([[1.5], [2.75]]);
});

test('digits keep their zeros, and whole numbers beyond 64 bits all of their digits', async () => {
  await using bench = await createBench();
  expect(await typesOf(bench, 'zip,long,n\n00501,12345678901234567890,1\n2,1,2.5\n')).toEqual(['VARCHAR', 'VARCHAR', 'DOUBLE']);
});

/** One refusal, wherever the byte stands. */
const nul = (line: number, encoding = 'utf-16[bl]e'): RegExp =>
  new RegExp(`^rows\\.csv: holds a NUL byte in line ${line}, which no text of a CSV file has: .*csv: \\{ encoding: ${encoding} \\}$`);

describe('refusals name the line and the reason', () => {
  test.each([
    ['a quote that is never closed', 'a,b\n1,"cut off\n2,3\n', /a quote that opens in line 2 is never closed/],
    ['one ragged row far below', `a,b\n${'1,2\n'.repeat(5_000)}3\n`, /^rows\.csv: line 5002 has 1 value, and the first line has 2$/],
    ['line ends of two kinds', 'a,b\n1,2\r\n3,4\n', /mixes line ends \(\\n in line 1, \\r\\n in line 2\)/],
    ['UTF-16', Buffer.from('\uFEFFa,b\n1,2\n', 'utf16le'), /is UTF-16 text; save it as UTF-8/],
    ['a header alone', 'id,name\n', /has a header and no rows.*header: false/],
    ['a NUL in a name', 'a\0,b\n1,2\n', nul(1)],
    ['a NUL before all else', '\0a,b\n1,2\n', nul(1)],
    ['a NUL as a value', 'a,b\n1,2\n3,\0\n', nul(3)],
    ['a NUL within quotes', 'a,b\n"x\n\0y",2\n', nul(3)],
    ['a NUL far below', `a,b\n${'1,2\n'.repeat(300_000)}x,y\0y\n`, nul(300_002)],
    ['a NUL beside a ragged row', 'a,b\n1\n3,\0\n', nul(3)],
    ['UTF-16 without a byte order mark', Buffer.from('a,b\n1,2\n', 'utf16le'), nul(1, 'utf-16le')],
    ['the same, big end first', Buffer.from('a,b\n1,2\n', 'utf16le').swap16(), nul(1, 'utf-16be')],
  ])('%s', async (_, text, message) => {
    await using bench = await createBench();
    expect(await refusal(rowsOf(bench, text))).toEqual({ verdict: 'bad_input', message: expect.stringMatching(message) });
  });

  test('a long line is not repeated', async () => {
    await using bench = await createBench();
    const { message } = await refusal(rowsOf(bench, `a,b\n1,2\n${'x'.repeat(5_000)},2,3\n`));
    expect(message).toBe('rows.csv: line 3 has 3 values, and the first line has 2');
  });
});

describe('the file may say how it is written', () => {
  test.each<[string, CsvOptions, unknown[][]]>([
    ['a~b\n1~2,5\n', { delimiter: '~' }, [[1, '2,5']]],
    ["a,b\n'1,2',3\n", { quote: "'" }, [['1,2', 3]]],
    [
      '1,2\n3,4\n',
      { header: false },
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ['x,y\n', { header: false }, [['x', 'y']]],
    ['a,b\n"say \\"x\\"",2\n', { escape: '\\' }, [['say "x"', 2]]],
    ['t\n25/04/2024 10:00\n', { timestampFormat: '%d/%m/%Y %H:%M' }, [[utc(2024, 4, 25, 10)]]],
    ['Report "of\nMay\na,b\n1,2\n', { skip: 2 }, [[1, 2]]],
    ['Report\r\n\r\n \r\na;b\r\n1;2\r\n', { skip: 1 }, [[1, 2]]],
    [
      'n,t\nNA,x\n2,-\n3,y\n',
      { nulls: ['NA', '-'] },
      [
        [null, 'x'],
        [2, 'null'],
        [3, 'y'],
      ],
    ],
    [
      'n;m\n1,5;1.234,25\n-2;,5\n',
      { decimal: ',' },
      [
        [1.5, 1234.25],
        [-2, 0.5],
      ],
    ],
    [
      'zip,n\n00501,1\n99501,2\n',
      { types: { zip: 'BIGINT', n: 'VARCHAR' } },
      [
        [501, '1'],
        [99501, '2'],
      ],
    ],
    ['d\n05/06/2024\n', { types: { d: 'DATE' }, dateFormat: '%d/%m/%Y' }, [[utc(2024, 6, 5)]]],
    [
      'n,m\n,1\n,2\n',
      { types: { n: 'DOUBLE' } },
      [
        [null, 1],
        [null, 2],
      ],
    ],
  ])('%j under %j', async (text, csv, rows) => {
    await using bench = await createBench();
    expect(await rowsOf(bench, text, csv)).toEqual(rows);
  });

  test.each<[string, Uint8Array]>([
    ['windows-1252', Buffer.from('a,b\nA\xf1o,\x805\n', 'latin1')],
    ['utf-16le', Buffer.from('\uFEFFa,b\nAño,€5\n', 'utf16le')],
    ['utf-16be', Buffer.from('\uFEFFa,b\nAño,€5\n', 'utf16le').swap16()],
    ['utf-16be', Buffer.from('a,b\nAño,€5\n', 'utf16le').swap16()],
  ])('text in %s is read where the encoding is said', async (encoding, bytes) => {
    await using bench = await createBench();
    expect(await rowsOf(bench, bytes, { encoding: encoding as 'utf-16le' })).toEqual([['Año', '€5']]);
    expect(await refusal(rowsOf(bench, bytes))).toMatchObject({ message: expect.stringContaining('csv: { encoding: ') });
  });

  test('text that is none in the encoding is refused', async () => {
    await using bench = await createBench();
    const half = Buffer.from('a,b\n1,2\n', 'utf16le').subarray(0, -1);
    expect(await refusal(rowsOf(bench, half, { encoding: 'utf-16le' }))).toMatchObject({
      message: 'rows.csv: is not utf-16le text, as csv: { encoding } says',
    });
  });

  test('dates with a time of day are read by a timestampFormat, as the hint says', async () => {
    await using bench = await createBench();
    const text = 'd\n02.03.2022 14:01\n';
    const { hints } = await bench.tables.preview(await bench.file('rows.csv', text));
    expect(hints).toEqual([{ column: 'd', message: expect.stringContaining("csv: { timestampFormat: '%d.%m.%Y %H:%M' } or {") }]);
    expect(await rowsOf(bench, text, { timestampFormat: '%d.%m.%Y %H:%M' })).toEqual([[Date.UTC(2022, 2, 2, 14, 1)]]);
    const { error } = csvOptions.safeParse({ dateFormat: '%d.%m.%Y %H:%M' });
    expect(error?.issues[0]?.message).toBe('a date has no time of day: this is a timestampFormat');
  });

  test('as many lines as may be skipped are skipped', async () => {
    await using bench = await createBench();
    expect(await rowsOf(bench, `${'#\n'.repeat(10_000)}a\nx\n`, { skip: 10_000 })).toEqual([['x']]);
  });

  test('text in another encoding that is too much as UTF-8 is refused by its name, and by what it is', async () => {
    await using bench = await createBench({ tempGiB: 0.001 });
    expect(await refusal(rowsOf(bench, Buffer.from(`a\n${'\xf1\n'.repeat(1 << 19)}`, 'latin1'), { encoding: 'windows-1252' }))).toEqual({
      verdict: 'too_large',
      message: 'rows.csv: is more than 0.001 GiB as UTF-8; cut it into several files',
    });
  });

  test.each<[CsvOptions, RegExp]>([
    [{ types: { amuont: 'DOUBLE' } }, /there is no column 'amuont'; did you mean 'amount'\?; it has amount, day/],
    [
      { types: { amount: 'DOUBLE' } },
      /column 'amount': row 3 has "n\.a\.", which is no DOUBLE; where it stands for no value, say csv: \{ nulls: \["n\.a\."\] \}/,
    ],
    [
      { types: { day: 'DATE' } },
      /column 'day': nothing says whether day or month comes first; say csv: \{ dateFormat: '%d\/%m\/%Y' \} or '%m\/%d\/%Y'/,
    ],
    [{ types: { amount: 'BIGINT' }, nulls: ['n.a.'] }, /row 2 has "2\.5", which is no BIGINT/],
  ])('what a column is said to be and is not is refused: %j', async (csv, message) => {
    await using bench = await createBench();
    expect(await refusal(rowsOf(bench, 'amount,day\n1,05/06/2024\n2.5,05/07/2024\nn.a.,05/08/2024\n', csv))).toMatchObject({
      message: expect.stringMatching(message),
    });
  });

  test('of a file that is no CSV it is refused', async () => {
    await using bench = await createBench();
    const path = await bench.file('rows.json', '[{"a":1}]');
    expect(await refusal(bench.tables.inspect({ path, csv: { delimiter: ';' } }))).toMatchObject({
      message: 'rows.json: is JSON and not CSV; take csv: away',
    });
  });

  test('also of the tables of a query', async () => {
    await using bench = await createBench();
    const path = await bench.file('rows.csv', 'd~n\n10/08/2008~1\n');
    const tables = { t: { path, csv: { delimiter: '~', dateFormat: '%d/%m/%Y' } } };
    const { rows } = await bench.rows(await bench.shard({ source: { sql: 'select d from t', tables } }));
    expect(rows).toMatchObject([{ d: utc(2008, 8, 10) }]);
  });

  test('a line end within quotes is part of its value, whatever the lines end in', async () => {
    await using bench = await createBench();
    expect(await rowsOf(bench, 'a,b\r\n"x\ny",1\r\n"z",2\r\n')).toEqual([
      ['x\ny', 1],
      ['z', 2],
    ]);
  });

  test('each of many files has its own dialect, and all have one type', async () => {
    await using bench = await createBench();
    await bench.file('p1.csv', 'n,d\n1,2024-01-02\n');
    await bench.file('p2.csv', 'n;d\n2;05/06/2024\n');
    const { rows } = await bench.rows(await bench.shard({ source: join(bench.folder, 'p*.csv') }));
    expect(rows.map(({ n, d }) => [n, d])).toEqual([
      [1, '2024-01-02'],
      [2, '05/06/2024'],
    ]);
    const named = await bench.rows(await bench.shard({ source: { path: join(bench.folder, 'p*.csv'), fileColumn: 'f' } }));
    expect(named.rows.map(({ n, f }) => [n, f])).toEqual([
      [1, 'p1.csv'],
      [2, 'p2.csv'],
    ]);
  });
});

test('a file of hundreds of columns needs no more memory than one of few', async () => {
  await using bench = await createBench();
  const columns = Array.from({ length: 300 }, (_, at) => `c${at}`);
  const source = await bench.file('wide.csv', `${columns.join(',')}\n${columns.map((_, at) => at).join(',')}\n`);
  const { rows } = await bench.rows(await bench.shard({ source }));
  expect(rows).toMatchObject([{ c0: 0, c299: 299 }]);
});

test('a header longer than what is looked at first is no file without rows', async () => {
  await using bench = await createBench();
  const names = Array.from({ length: 3 }, (_, at) => `${'n'.repeat(30_000)}${at}`);
  const { rows } = await bench.tables.inspect(await bench.file('long.csv', `${names.join(',')}\n1,2,3\n`));
  expect(rows).toBe(1);
});

test.each([
  [
    'a text that is not UTF-8',
    Buffer.from('id,t\na,\u00e9\nb,x\n', 'latin1'),
    'is not UTF-8 text in line 2; save it as UTF-8, or say how it is written: csv: { encoding: windows-1252 }',
  ],
  [
    'a row that is too long',
    Buffer.from(`id,t\na,"${'x\n'.repeat(1_100_000)}"\nb,y\n`),
    'has a row of more than 2097152 bytes, from line 2 on, which is not supported; leave the long values out',
  ],
])('%s is what the refusal names', async (_, bytes, says) => {
  await using bench = await createBench();
  expect((await refusal(bench.tables.inspect(await bench.file('rows.csv', bytes)))).message).toBe(`rows.csv: ${says}`);
});
