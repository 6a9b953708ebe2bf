import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { parquetBomb } from '../prove/support-bombs.ts';
import { createBench, parquetOf, refusal } from './support.ts';

test('a page is held against its checksum', async () => {
  await using bench = await createBench();
  const file = (checksum: (page: Buffer) => number): Buffer => parquetBomb('zstd', { rows: 2, valueBytes: 100, checksum });
  const right = await bench.file('right.parquet', file(crc32));
  expect((await bench.rows(await bench.shard({ source: right }))).rows).toMatchObject([{ a: 'a'.repeat(100) }, { a: 'a'.repeat(100) }]);
  const wrong = await bench.file(
    'wrong.parquet',
    file((page) => crc32(page) ^ 1),
  );
  for (const opened of [() => bench.tables.inspect(wrong), () => bench.shard({ source: wrong })])
    expect(await refusal(opened())).toEqual({
      verdict: 'bad_input',
      message: "wrong.parquet: is damaged Parquet: a page of column 'a' does not have the checksum that it says",
    });
});

test('a footer that promises more rows than a table may have is refused before any is read', async () => {
  await using bench = await createBench();
  const path = join(bench.folder, 'many.parquet');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`copy (select 1 as n from range(251_000_000)) to '${path}' (format parquet, row_group_size 100_000_000)`);
  connection.closeSync();
  instance.closeSync();
  expect(await refusal(bench.tables.inspect(path))).toEqual({
    verdict: 'too_large',
    message: expect.stringMatching(/says that it has 251,000,000 rows; a table may have 250,000,000/),
  });
});

/** Written by pyarrow: a column `k`, and a struct `s` of a decimal of 39 digits with the value 1.5. */
const wideDecimal =
  'UEFSMRUAFRYVFiwVAhUAFQYVBhwAAAACAAAAAgEBAAAAYRUAFS4VLiwVAhUAFQYVBhwAAAACAAAAAgIAAAAAAAAAAAAAAAAAAAAADxUEGUw1ABgGc2NoZW1hFQQAFQwlAhgBayUATBwAAAA1AhgBcxUCABUOFSIVAhgBdyUKFQIVTixcFQIVTgAAABYCGRwZLCYAHBUMGSUGABkYAWsVABYCFjwWPCYISRwVABUAFQIAPBYCGQYZJgACAAAAJgAcFQ4ZJQYAGSgBcwF3FQAWAhZUFlQmREkcFQAVABUCADwpBhk2AAACAAAAFpABFgImCBaQAQAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjYuMC4xGSwcAAAcAAAA1AAAAFBBUjE=';

/** Written by pyarrow with checksums: columns `k` and `n`; the page of `n` begins at `second`. */
const checked = {
  file: 'UEFSMRUAFRYVFhW+y+2PDRwVAhUAFQYVBhwAAAACAAAAAgEBAAAAYRUAFRQVFBWSoYCgARwVAhUAFQYVBhwAAAACAAAAAgEHAAAAFQQZPDUAGAZzY2hlbWEVBAAVDCUCGAFrJQBMHAAAABUCJQIYAW4AFgIZHBksJgAcFQwZJQYAGRgBaxUAFgIWSBZIJghJHBUAFQAVAgA8FgIZBhkmAAIAAAAmABwVAhklBgAZGAFuFQAWAhZGFkYmUEkcFQAVABUCADwpBhkmAAIAAAAWjgEWAiYIFo4BACggcGFycXVldC1jcHAtYXJyb3cgdmVyc2lvbiAyNi4wLjEZLBwAABwAAAC5AAAAUEFSMQ==',
  second: 40,
};

test('a page that cannot be found is refused where the others have checksums', async () => {
  await using bench = await createBench();
  const bytes = Buffer.from(checked.file, 'base64');
  const good = await bench.file('good.parquet', bytes);
  expect((await bench.rows(await bench.shard({ source: good }))).rows).toMatchObject([{ k: 'a', n: 7 }]);
  bytes[checked.second] = 0x1f;
  const lost = await bench.file('lost.parquet', bytes);
  expect((await refusal(bench.tables.inspect(lost))).message).toBe(
    "lost.parquet: is damaged Parquet: a page of column 'n' has not the checksum that the others have",
  );
});

test('a footer that is not understood is not left to an engine that reads on', async () => {
  await using bench = await createBench();
  const bytes = Buffer.from(checked.file, 'base64');
  // The end of the outermost struct: the engine takes any byte whose lower half is zero.
  expect(bytes.at(-9)).toBe(0);
  bytes[bytes.length - 9] = 0x10;
  const source = await bench.file('end.parquet', bytes);
  expect((await refusal(bench.shard({ source }))).message).toBe('end.parquet: is damaged Parquet: its metadata cannot be read');
});

test('decimals of more digits than can be read are refused where they are read, and can be left out', async () => {
  await using bench = await createBench();
  const path = await bench.file('wide.parquet', Buffer.from(wideDecimal, 'base64'));
  expect((await refusal(bench.tables.inspect(path))).message).toMatch(
    /column 's' holds decimals of 39 digits, which is not supported beyond 38; the other columns can be read: leave s out with source:/,
  );
  expect((await refusal(bench.shard({ source: path, columns: { k: 'k', w: 's.w' } }))).message).toContain('decimals of 39 digits');
  const source = { sql: 'select * exclude ("s") from t', tables: { t: path } };
  expect((await bench.rows(await bench.shard({ source }))).rows).toMatchObject([{ k: 'a' }]);
});

/** One column is damaged: its page is cut short of its value. */
async function halfDamaged(folder: string): Promise<string> {
  const path = join(folder, 'half.parquet');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(
    `copy (select range as good, md5(range::varchar) as bad from range(1_000)) to '${path}' (format parquet, compression 'zstd')`,
  );
  const [chunk] = (
    await connection.runAndReadAll(
      `select total_compressed_size, data_page_offset, dictionary_page_offset from parquet_metadata('${path}') where path_in_schema = 'bad'`,
    )
  ).getRows();
  connection.closeSync();
  instance.closeSync();
  const bytes = await readFile(path);
  const from = Number(chunk![2] ?? chunk![1]);
  bytes.fill(0xff, from + 60, from + 400);
  await writeFile(path, bytes);
  return path;
}

test('what cannot be read is a verdict of the inspection; a column of it can be left out as the verdict says', async () => {
  await using bench = await createBench();
  const path = await halfDamaged(bench.folder);
  const { verdict, message } = await refusal(bench.tables.inspect(path));
  expect(verdict).toBe('bad_input');
  expect(message).toMatch(
    /the other columns can be read: leave bad out with source: \{ sql: select \* exclude \("bad"\) from t, tables: \{ t: … \} \}$/,
  );
  const source = { sql: 'select * exclude ("bad") from t', tables: { t: path } };
  expect(await bench.tables.inspect(source)).toMatchObject({ rows: 1_000, columns: [{ name: 'good' }] });
  expect(await bench.shard({ source })).toMatchObject({ sent: 1_000 });
});

test('what a remedy makes is shown, is what a run sends, and is no text in the quotes of another', async () => {
  await using bench = await createBench();
  const values = [
    `['x', null] as l`,
    `{'a': 1, 'b': 'y"z'} as s`,
    `map {'k': 1} as m`,
    `'\\x41'::blob as b`,
    `true as t`,
    `'word'::variant as v`,
  ];
  const path = await parquetOf(bench.folder, `select ${values.join(', ')}`, 'types.parquet');
  const { columns } = await bench.tables.preview(path);
  const chosen = Object.fromEntries(columns.map(({ name, remedy }) => [name, remedy!]));
  const { rows } = await bench.rows(await bench.shard({ source: path, columns: chosen }));
  const { id_: _id, ...made } = rows[0]!;
  expect(made).toEqual(Object.fromEntries(columns.map(({ name, produces }) => [name, produces![0]])));
  expect(made).toEqual({ l: '["x",null]', s: '{"a":1,"b":"y\\"z"}', m: '{"k":1}', b: '41', t: 'true', v: 'word' });
});
