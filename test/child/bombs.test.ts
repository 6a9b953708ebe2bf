import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { arrowBomb, arrowCodecs, parquetBomb, parquetCodecs } from '../prove/support-bombs.ts';
import { createBench, refusal } from './support.ts';

const MiB = 1024 * 1024;

test.each(parquetCodecs)('a Parquet page of %s is read where it is small', async (codec) => {
  await using bench = await createBench();
  const source = await bench.file('small.parquet', parquetBomb(codec, { rows: 3, valueBytes: 1_000 }));
  const { rows } = await bench.rows(await bench.shard({ source }));
  expect(rows.map(({ a }) => a)).toEqual(Array(3).fill('a'.repeat(1_000)));
});

test.each(['lz4_raw', 'zstd'])('a Parquet page of %s that needs more than the memory is refused', async (codec) => {
  await using bench = await createBench({ memoryMb: 300 });
  const source = await bench.file('bomb.parquet', parquetBomb(codec, { rows: 1, valueBytes: 400 * MiB }));
  expect(await refusal(bench.shard({ source }))).toMatchObject({ verdict: 'too_large' });
});

test('a Parquet file that says how much it decodes to is refused before anything is decoded', async () => {
  await using bench = await createBench();
  const source = await bench.file('bomb.parquet', parquetBomb('zstd', { rows: 700, valueBytes: 16 * MiB, honest: true }));
  expect(await refusal(bench.tables.inspect(source))).toEqual({
    verdict: 'too_large',
    message: 'bomb.parquet: decodes to 10.9 GiB; a table may take 8 GiB',
  });
});

test.each(arrowCodecs)('an Arrow buffer of %s that grows beyond its bound is refused', async (codec) => {
  await using bench = await createBench();
  const source = await bench.file('bomb.arrow', arrowBomb(codec, 1));
  expect(await refusal(bench.tables.inspect(source))).toEqual({
    verdict: 'too_large',
    message: expect.stringMatching(/compressed buffer grows beyond/),
  });
});

test.each([
  ['gz', gzipSync],
  ['zst', zstdCompressSync],
] as const)('a packed file (.%s) that holds more than a request may unpack is refused, however small it is', async (ending, pack) => {
  await using bench = await createBench({ tempGiB: 0.05 });
  const bomb = pack(`a,b\n${'1,2\n'.repeat(16 * MiB)}`);
  expect(bomb.length).toBeLessThan(MiB);
  await bench.file(`part-1.csv.${ending}`, pack('a,b\n1,2\n'));
  await bench.file(`part-2.csv.${ending}`, bomb);
  expect(await refusal(bench.tables.inspect(join(bench.folder, `part-*.csv.${ending}`)))).toEqual({
    verdict: 'too_large',
    message: `part-2.csv.${ending}: is more than 0.05 GiB unpacked; unpack it and cut it into several files`,
  });
});

test('an archive is refused by its name', async () => {
  await using bench = await createBench();
  const source = await bench.file('rows.csv', Buffer.from('PK\x03\x04'));
  expect(await refusal(bench.tables.inspect(source))).toEqual({
    verdict: 'bad_input',
    message: 'rows.csv: is a zip archive; unpack it first',
  });
});

test('a hungry expression is ended by the memory limit, not by its time', async () => {
  await using bench = await createBench();
  const source = await bench.file('rows.csv', 'a\n1\n');
  expect(await refusal(bench.shard({ source, columns: { a: 'len(range(1000000000))' } }))).toMatchObject({ verdict: 'too_large' });
});
