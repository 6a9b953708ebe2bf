import { readFile } from 'node:fs/promises';
import {
  DataType,
  Field,
  FixedSizeList,
  Float16,
  Float32,
  Float64,
  List,
  Table,
  makeData,
  makeVector,
  tableFromIPC,
  tableToIPC,
  vectorFromArray,
} from 'apache-arrow';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ShardResult } from '../../child/tables.ts';
import { createBench, parquetOf, refusal, type Bench } from './support.ts';

/** Numbers that float16 holds exactly, so that every format can say the same. */
const vectors = [
  [0.5, -1, 2.25],
  [1, 0, -0.125],
  [3, 1024, 0.0625],
];

const half = (numbers: number[]): Uint16Array => new Uint16Array(new Float16Array(numbers).buffer);

const fixed = (item: Float16 | Float32 | Float64, data: Uint16Array | Float32Array | Float64Array): Uint8Array => {
  const child = makeData({ type: item as Float32, length: 9, nullCount: 0, data: data as Float32Array });
  const type = new FixedSizeList(3, new Field('item', item as Float32));
  return tableToIPC(new Table({ vec: makeVector(makeData({ type, length: 3, nullCount: 0, child })) }), 'file');
};

const sql = (type: string): string =>
  `select vec::${type} as vec from (values ${vectors.map((each) => `([${each.join(', ')}])`).join(', ')}) as t(vec)`;

/** The same three vectors as one file of each kind. */
const forms: Record<string, (bench: Bench) => Promise<string>> = {
  'JSON numbers': (bench) => bench.file('v.json', JSON.stringify(vectors.map((vec) => ({ vec })))),
  'Parquet LIST<FLOAT>': (bench) => parquetOf(bench.folder, sql('float[]'), 'v.parquet'),
  'Parquet LIST<DOUBLE>': (bench) => parquetOf(bench.folder, sql('double[]'), 'v.parquet'),
  'Parquet FLOAT[3]': (bench) => parquetOf(bench.folder, sql('float[3]'), 'v.parquet'),
  'Parquet DECIMAL': (bench) => parquetOf(bench.folder, sql('decimal(10, 4)[]'), 'v.parquet'),
  'CSV text': (bench) => bench.file('v.csv', `n,vec\n${vectors.map((vec, at) => `${at},"[${vec.join(', ')}]"`).join('\n')}\n`),
  'Arrow FixedSizeList<Float16>': (bench) => bench.file('v.arrow', fixed(new Float16(), half(vectors.flat()))),
  'Arrow FixedSizeList<Float32>': (bench) => bench.file('v.arrow', fixed(new Float32(), Float32Array.from(vectors.flat()))),
  'Arrow FixedSizeList<Float64>': (bench) => bench.file('v.arrow', fixed(new Float64(), Float64Array.from(vectors.flat()))),
  'Arrow List<Float32>': (bench) =>
    bench.file('v.arrow', tableToIPC(new Table({ vec: vectorFromArray(vectors, new List(new Field('item', new Float32()))) }), 'file')),
};

async function sent({ shards }: ShardResult): Promise<number[][]> {
  const all: number[][] = [];
  for (const { file } of shards) {
    const table = tableFromIPC(await readFile(file));
    const { type } = table.schema.fields.find(({ name }) => name === '_embeddings')!;
    expect(DataType.isFixedSizeList(type) && DataType.isFloat(type.children[0]!.type) && type.children[0]!.type.precision).toBe(1);
    for (const vector of table.getChild('_embeddings')!) all.push([...(vector as Iterable<number>)]);
  }
  return all;
}

test.each(Object.keys(forms))('%s becomes a column of float32 vectors', async (form) => {
  await using bench = await createBench();
  const source = await forms[form]!(bench);
  const result = await bench.shard({ source, columns: { _embeddings: 'vec' } });
  expect(result).toMatchObject({ sent: 3, rejected: 0, columns: [{ name: 'id_' }, { name: '_embeddings', type: 'vector', width: 3 }] });
  expect(await sent(result)).toEqual(vectors);
  expect((await bench.rows(result)).rows[0], 'vectors are no values to compare').not.toHaveProperty('_embeddings');
});

test('a source column of that name needs no mapping; vectors may be computed', async () => {
  await using bench = await createBench();
  const source = await bench.file('v.json', JSON.stringify(vectors.map((vec, n) => ({ n, _embeddings: vec }))));
  expect(await sent(await bench.shard({ source }))).toEqual(vectors);
  const doubled = await bench.shard({ source, columns: { n: 'n', _embeddings: 'list_transform(_embeddings, lambda x: x * 2)' } });
  expect(await sent(doubled)).toEqual(vectors.map((vector) => vector.map((x) => x * 2)));
});

test('NaN, infinity, null and another length are refused, each with its reason; a NaN never goes out', async () => {
  await using bench = await createBench();
  const rows = ['[1, 2]', '[1, nan]', '[inf, 2]', '[-inf, inf]', 'null', '[1, null]', '[1]', '[1, 2, 3]', '[]', '[1e39, 1]', '[3, 4]'].map(
    (vector, n) => `(${n}, ${vector === 'null' ? 'null' : `'${vector}'`}::double[])`,
  );
  const source = await parquetOf(bench.folder, `select * from (values ${rows.join(', ')}) as t(n, vec)`, 'v.parquet');
  const result = await bench.shard({ source, columns: { n: 'n', _embeddings: 'vec' } });
  expect(await sent(result)).toEqual([
    [1, 2],
    [3, 4],
  ]);
  const reasons = (await bench.rejects(result)).map(({ row, reason }) => `${row} ${reason}`);
  expect(reasons).toEqual([
    '2 _embeddings: NaN or infinity in the vector',
    '3 _embeddings: NaN or infinity in the vector',
    '4 _embeddings: NaN or infinity in the vector',
    '5 _embeddings: no vector',
    '6 _embeddings: a number of the vector is null or does not fit float32',
    '7 _embeddings: vector of 1 numbers, expected 2',
    '8 _embeddings: vector of 3 numbers, expected 2',
    '9 _embeddings: vector of 0 numbers, expected 2',
    '10 _embeddings: a number of the vector is null or does not fit float32',
  ]);
});

test('the dataset decides the length, else the first row that has a vector', async () => {
  await using bench = await createBench();
  const source = await bench.file('v.json', '[{"_embeddings":null},{"_embeddings":[1,2]},{"_embeddings":[1,2,3]}]');
  expect((await bench.shard({ source })).columns.at(-1)).toMatchObject({ width: 2 });
  const result = await bench.shard({ source, schema: [{ name: '_embeddings', type: 'vector', width: 3 }] });
  expect(await sent(result)).toEqual([[1, 2, 3]]);
  expect(await refusal(bench.shard({ source: await bench.file('n.json', '[{"a":1,"_embeddings":null}]') }))).toMatchObject({
    verdict: 'bad_input',
    message: expect.stringMatching(/n\.json: column _embeddings: /),
  });
  expect(await refusal(bench.shard({ source: await bench.file('b.json', '[{"_embeddings":true}]') }))).toEqual({
    verdict: 'bad_input',
    message: expect.stringMatching(/_embeddings: its type BOOLEAN is no vector/),
  });
});

test('another vector is another row; picked rows keep theirs', async () => {
  await using bench = await createBench();
  const write = (vector: number[]): Promise<string> =>
    bench.file(
      'v.json',
      JSON.stringify([
        { a: 1, _embeddings: vector },
        { a: 2, _embeddings: [5, 6] },
      ]),
    );
  const first = await bench.shard({ source: await write([1, 2]) });
  const { ids } = await bench.rows(first);
  const picked = tableFromIPC(await bench.tables.pickRows(first.shards[0]!.file, [ids[1]!]));
  expect([...(picked.getChild('_embeddings')!.get(0) as Iterable<number>)]).toEqual([5, 6]);
  const second = await bench.rows(await bench.shard({ source: await write([1, 2.5]) }));
  expect(second.ids[1]).toBe(ids[1]);
  expect(second.ids[0]).not.toBe(ids[0]);
});

test('vectors of any numbers and of many shards arrive as float32 of what was written', async () => {
  await using bench = await createBench();
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 40 }).chain((width) =>
        fc.array(fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: width, maxLength: width }), {
          minLength: 1,
          maxLength: 60,
        }),
      ),
      async (many) => {
        const source = await bench.file('v.json', JSON.stringify(many.map((vec, n) => ({ n, vec }))));
        const result = await bench.shard({ source, columns: { n: 'n', _embeddings: 'vec' }, maxRows: 7 });
        const flat = (await sent(result)).flat();
        // JSON has no negative zero.
        expect(flat.map((x) => x + 0)).toEqual(many.flat().map((x) => Math.fround(x) + 0));
      },
    ),
    { numRuns: 25 },
  );
});
