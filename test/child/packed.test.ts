import { createHash } from 'node:crypto';
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { zstdFrames } from '../../child/inside/packed/zstd-frames.ts';
import { createBench, refusal, sample, type Bench } from './support.ts';

const packers = { gz: gzipSync, zst: zstdCompressSync };

const unpackedOf = async (bench: Bench, name: string): Promise<unknown[]> =>
  (await bench.rows(await bench.shard({ source: join(bench.folder, name), id: { column: 'k' } }))).rows;

test.each(Object.entries(packers))('a file packed as .%s is read as what it holds, and is known by its own bytes', async (ending, pack) => {
  await using bench = await createBench();
  for (const [name, text] of [
    ['t.csv', 'k,n\na,1\nb,2\n'],
    ['t.json', '[{"k":"a","n":1},{"k":"b","n":2}]'],
    ['t.jsonl', '\uFEFF{"k":"a","n":1}\n{"k":"b","n":2}\n'],
  ]) {
    const packed = pack(text!);
    const path = await bench.file(`${name}.${ending}`, packed);
    expect(await unpackedOf(bench, `${name}.${ending}`)).toMatchObject([
      { k: 'a', n: 1 },
      { k: 'b', n: 2 },
    ]);
    const facts = await bench.tables.inspect(path);
    expect(facts).toMatchObject({ bytes: packed.length, sha256: createHash('sha256').update(packed).digest('hex') });
  }
  const arrow = await bench.file(`flights.arrow.${ending}`, pack(await readFile(sample('flights-200k.arrow'))));
  expect(await bench.tables.inspect(arrow)).toMatchObject({ rows: 200_000 });
});

test('files of a glob may be packed in different ways, or not', async () => {
  await using bench = await createBench();
  await bench.file('p1.csv.gz', gzipSync('k,n\na,1\n'));
  await bench.file('p2.csv', 'k,n\nb,2\n');
  await bench.file('p3.csv.zst', zstdCompressSync('k,n\nc,3\n'));
  expect(await unpackedOf(bench, 'p*.csv*')).toMatchObject([{ n: 1 }, { n: 2 }, { n: 3 }]);
});

test('of several frames or members none is lost, wherever they end', async () => {
  await using bench = await createBench();
  const skipped = Buffer.concat([Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0]), Buffer.from('xyz')]);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(fc.integer(), { minLength: 1, maxLength: 400 }), { minLength: 1, maxLength: 6 }), async (parts) => {
      const texts = parts.map((numbers) => numbers.map((n) => `${n}\n`).join(''));
      const wanted = parts.flat().length;
      const zst = Buffer.concat([zstdCompressSync('n\n'), skipped, ...texts.map((text) => zstdCompressSync(text))]);
      const gz = Buffer.concat(['n\n', ...texts].map((text) => gzipSync(text)));
      for (const [name, bytes] of [
        ['m.csv.zst', zst],
        ['m.csv.gz', gz],
      ] as const)
        expect(await bench.tables.inspect(await bench.file(name, bytes))).toMatchObject({ rows: wanted });
      await using file = await open(join(bench.folder, 'm.csv.zst'));
      expect([...zstdFrames(file.fd)]).toHaveLength(texts.length + 1);
    }),
    { numRuns: 15 },
  );
});

test.each<[string, string, (packed: Buffer) => Uint8Array, RegExp]>([
  ['gz', 'cut off', (packed) => packed.subarray(0, -9), /^t\.csv\.gz: is damaged gzip: it is cut off$/],
  ['gz', 'changed', (packed) => packed.fill(0xff, 15, 25), /^t\.csv\.gz: is damaged gzip/],
  ['gz', 'followed by something else', (packed) => Buffer.concat([packed, Buffer.from('more')]), /^t\.csv\.gz: is damaged gzip/],
  ['gz', 'something else', () => Buffer.from('k,n\na,1\n'), /^t\.csv\.gz: is not gzip, whatever its name says$/],
  ['gz', 'packed twice', (packed) => gzipSync(packed), /^t\.csv: is a gzip archive; unpack it first$/],
  ['zst', 'cut off', (packed) => packed.subarray(0, -3), /^t\.csv\.zst: is damaged zstd: it is cut off$/],
  ['zst', 'changed', (packed) => packed.fill(0xff, 15, 25), /^t\.csv\.zst: is damaged zstd/],
  [
    'zst',
    'followed by something else',
    (packed) => Buffer.concat([packed, Buffer.from('more')]),
    /^t\.csv\.zst: is damaged zstd: what stands at byte \d+ is no frame$/,
  ],
])('a .%s file that is %s is refused', async (ending, _, change, message) => {
  await using bench = await createBench();
  const text = `k,n\n${Array.from({ length: 500 }, (_each, at) => `k${at * 7919},${at}`).join('\n')}\n`;
  const path = await bench.file(`t.csv.${ending}`, change(Buffer.from(packers[ending as 'gz'](text))));
  expect(await refusal(bench.tables.inspect(path))).toEqual({ verdict: 'bad_input', message: expect.stringMatching(message) });
});

test('a packed file in another encoding is read, and is named as it is where it cannot be', async () => {
  await using bench = await createBench();
  const text = Buffer.from('k,n\na,é\n', 'utf16le');
  const source = { path: await bench.file('t.csv.gz', gzipSync(text)), csv: { encoding: 'utf-16le' as const } };
  expect((await bench.rows(await bench.shard({ source, id: { column: 'k' } }))).rows).toMatchObject([{ n: 'é' }]);
  await bench.file('t.csv.gz', gzipSync(text.subarray(0, -1)));
  expect(await refusal(bench.tables.inspect(source))).toEqual({
    verdict: 'bad_input',
    message: 't.csv.gz: is not utf-16le text, as csv: { encoding } says',
  });
});

test('a tar archive is no table, packed or not', async () => {
  await using bench = await createBench();
  const tar = Buffer.alloc(1024);
  tar.write('rows.csv');
  tar.write('ustar', 257);
  for (const [name, bytes] of [
    ['t.tar', tar],
    ['t.tar.gz', gzipSync(tar)],
    ['t.csv.zst', zstdCompressSync(tar)],
  ] as const)
    expect(await refusal(bench.tables.inspect(await bench.file(name, bytes)))).toMatchObject({
      message: expect.stringMatching(/is a tar archive; unpack it first$/),
    });
});

test('what was unpacked is gone after the request, also after one that fails', async () => {
  // Children of its own, which work within the folder of the bench.
  await using bench = await createBench({});
  const left = async (): Promise<string[]> => {
    const names = await readdir(bench.folder, { recursive: true });
    return names.filter((name) => name.includes('plain-'));
  };
  await bench.tables.inspect(await bench.file('t.csv.gz', gzipSync('k,n\na,1\n')));
  expect(await left()).toEqual([]);
  await refusal(bench.tables.inspect(await bench.file('u.csv.gz', gzipSync('k,n\na\n'))));
  expect(await left()).toEqual([]);
});
