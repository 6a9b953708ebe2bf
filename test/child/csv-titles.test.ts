import { expect, test } from 'vitest';
import type { CsvOptions } from '../../pipelines/source-spec.ts';
import { createBench } from './support.ts';

/** A small table, below a title or none. */
const rows = 'id,title,year\n1,Up,2009\n2,Heat,1995\n';

test.each<[string, string, CsvOptions | undefined, string | RegExp]>([
  ['a blank before the quote of a title over two lines', ` "Films\nof 2024"\n${rows}`, undefined, /say csv: { skip: 1 }$/],
  ['a blank before the quote of a later value', `x, "Films\nof 2024"\n${rows}`, undefined, /say csv: { skip: 1 }$/],
  [
    'two blanks, behind which a quote is a character like another',
    `  "Films\nof 2024"\nid,year,Year\n1,2,3\n`,
    { skip: 2 },
    /column 3 is called Year_1, column 2 keeps the name$/,
  ],
  [
    'an escape of its own within the quotes',
    `"Films \\"of\n2024\\""\nid,title,year\n1,Up,2009\n2,Heat\n`,
    { escape: '\\', skip: 1 },
    'rows.csv: line 5 has 2 values, and the first line has 3',
  ],
  [
    'lines that end with CR, also within the quotes',
    `"Films\rof 2024"\rid,title,year\r1,Up,2009\r2,Heat\r`,
    { skip: 1 },
    'rows.csv: line 5 has 2 values, and the first line has 3',
  ],
  [
    'semicolons behind a title over two lines',
    `"Films\nof 2024";;\nid;title;year\n1;Up;2009\n`,
    undefined,
    'line 1 names one of 3 columns: where that is a title, say csv: { skip: 1 }',
  ],
  [
    'a short line far below a title over two lines',
    `"Films\nof 2024"\n${rows}${'3,Far,1\n'.repeat(30_000)}4,Far\n`,
    { skip: 1 },
    'rows.csv: line 30006 has 2 values, and the first line has 3',
  ],
  [
    'a quote that is never closed, which is a character like another',
    `"Films\nid,title,year\n1,Up\n2,Heat,3\n`,
    { skip: 1 },
    'rows.csv: line 3 has 2 values, and the first line has 3',
  ],
  ['a header beyond what is looked at', `${'aaa,b,AAA\n'.repeat(10_000)}${rows}`, { skip: 10_000 }, ''],
  [
    'skipped lines, cut by the delimiter of the table',
    `;"Films\nof 2024";\nid;title;year\n1;Up;2009\n2;Heat\n`,
    { skip: 1 },
    'rows.csv: line 5 has 2 values, and the first line has 3',
  ],
  [
    'skipped lines, cut by a delimiter that is said',
    `x~"Films\nof 2024"\nid~title~year\n1~Up~2009\n2~Heat\n`,
    { skip: 1, delimiter: '~' },
    'rows.csv: line 5 has 2 values, and the first line has 3',
  ],
  [
    'blank lines behind what is skipped, as lines',
    `Films\n\n \nFrom a list,,\n${rows}`,
    { skip: 1 },
    'line 4 names one of 3 columns: where that is a title, say csv: { skip: 4 }',
  ],
  [
    'blank lines below a title over two lines, as records',
    `"Films\nof 2024"\n\nFrom a list,,\n${rows}`,
    { skip: 1 },
    'line 4 names one of 3 columns: where that is a title, say csv: { skip: 3 }',
  ],
  ['a title above a name that stands twice', `Films of 2024\nid,year,Year\n1,2,3\n4,5,6\n`, undefined, /say csv: { skip: 1 }$/],
  ['a title above a row with a null', `Films of 2024,,\nNA,2,3\n4,5,6\n`, { nulls: ['NA'] }, /say csv: { skip: 1 }$/],
  ['a name alone, above a row with blanks', `id,,\n1,,3\n4,5,6\n`, undefined, ''],
  [
    'a title behind what is skipped',
    `x\nFilms of 2024,,\n${rows}`,
    { skip: 1 },
    'line 2 names one of 3 columns: where that is a title, say csv: { skip: 2 }',
  ],
  ['a header that is said to be one', `Films of 2024\n${rows}`, { header: true }, ''],
  ['a first row without names', `1,,\n1,2,3\n4,5,6\n`, undefined, ''],
  [
    'a title over two lines, which the advice counts as one record',
    `"Films\nof 2024"\n${rows}`,
    undefined,
    'the lines behind lines 1 to 2 have 3 values each: where that is a title, say csv: { skip: 1 }',
  ],
  [
    'a title over two lines in another quote',
    `'Films\nof 2024'\nid,title,year\n1,Up,2009\n2,Heat\n`,
    { skip: 1, quote: "'" },
    'rows.csv: line 5 has 2 values, and the first line has 3',
  ],
  ['a title with a name twice', `Films,,\nFrom,from,x\n1,2,3\n`, undefined, /^line 1 names one of 3 columns[^\n]*$/],
  [
    'a title above a file with another quote',
    `Films of 2024\n'id','ti,tle','year'\n'1','Up,','2009'\n'2','Heat,','1995'\n`,
    { quote: "'" },
    /say csv: { skip: 1 }$/,
  ],
])('what is said of %s', async (_, text, csv, says) => {
  await using bench = await createBench();
  const path = await bench.file('rows.csv', text);
  const said = await bench.tables.preview(csv ? { path, csv } : path).then(
    ({ hints }) => hints.map(({ message }) => message).join('\n'),
    ({ message }: Error) => message,
  );
  if (typeof says === 'string') expect(said).toBe(says);
  else expect(said).toMatch(says);
});
