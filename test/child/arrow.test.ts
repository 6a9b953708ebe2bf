import {
  Field,
  Float64,
  Int32,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Utf8,
  vectorFromArray,
  type Data,
} from 'apache-arrow';
import { expect, test } from 'vitest';
import { createBench, refusal } from './support.ts';

/** A stream of one batch, as any program may write it. */
function stream(columns: [name: string, data: Data][], rows: number): Uint8Array {
  const schema = new Schema(columns.map(([name, { type }]) => new Field(name, type, true)));
  const data = makeData({ type: new Struct(schema.fields), length: rows, nullCount: 0, children: columns.map(([, child]) => child) });
  const writer = new RecordBatchStreamWriter();
  writer.write(new RecordBatch(schema, data));
  writer.close();
  return writer.toUint8Array(true);
}

const bytesOf = (values: string[]): { data: Uint8Array; valueOffsets: Int32Array } => {
  const { values: data, valueOffsets } = vectorFromArray(values, new Utf8()).data[0]!;
  return { data, valueOffsets };
};

test.each<[string, Data, RegExp]>([
  [
    'fewer values than rows',
    makeData({ type: new Float64(), length: 64, nullCount: 0, data: new Float64Array(8) }),
    /fewer values than rows/,
  ],
  [
    'offsets that fall',
    makeData({ type: new Utf8(), length: 2, nullCount: 0, valueOffsets: Int32Array.from([0, 3, 1]), data: Buffer.from('abc') }),
    /offsets that fall/,
  ],
  [
    'offsets beyond the bytes',
    makeData({ type: new Utf8(), length: 1, nullCount: 0, valueOffsets: Int32Array.from([0, 900]), data: Buffer.from('abc') }),
    /points past the end/,
  ],
  [
    'text that is not UTF-8',
    makeData({ type: new Utf8(), length: 1, nullCount: 0, valueOffsets: Int32Array.from([0, 2]), data: Buffer.from([0xc3, 0x28]) }),
    /not UTF-8 in row 1/,
  ],
  [
    'a letter cut in two by an offset',
    makeData({ type: new Utf8(), length: 2, nullCount: 0, valueOffsets: Int32Array.from([0, 1, 2]), data: Buffer.from('é') }),
    /not UTF-8 in row 1/,
  ],
])('%s are a verdict, not nulls', async (_what, data, message) => {
  await using bench = await createBench();
  const source = await bench.file('odd.arrows', stream([['a', data]], data.length));
  expect(await refusal(bench.tables.inspect(source))).toEqual({ verdict: 'bad_input', message: expect.stringMatching(message) });
});

test('what stands below a null is nobody’s text', async () => {
  await using bench = await createBench();
  const data = makeData({
    type: new Utf8(),
    length: 2,
    nullCount: 1,
    nullBitmap: Uint8Array.from([0b10]),
    valueOffsets: Int32Array.from([0, 1, 2]),
    data: Buffer.from([0xff, 0x61]),
  });
  const source = await bench.file('odd.arrows', stream([['a', data]], 2));
  const { rows } = await bench.rows(await bench.shard({ source }));
  expect(rows.map(({ a }) => a)).toEqual(['null', 'a']);
});

test('columns of one name are told apart as in Parquet', async () => {
  await using bench = await createBench();
  const number = makeData({ type: new Int32(), length: 1, nullCount: 0, data: Int32Array.from([7]) });
  const text = makeData({ type: new Utf8(), length: 1, nullCount: 0, ...bytesOf(['x']) });
  const source = await bench.file(
    'twice.arrows',
    stream(
      [
        ['a', number],
        ['A', text],
      ],
      1,
    ),
  );
  expect((await bench.tables.inspect(source)).columns).toEqual([
    { name: 'a', type: 'INTEGER' },
    { name: 'A_1', type: 'VARCHAR' },
  ]);
});
