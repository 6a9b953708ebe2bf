import {
  DateDay,
  Decimal,
  Dictionary,
  DurationMillisecond,
  Field,
  FixedSizeList,
  Float64,
  Int32,
  IntervalMonthDayNano,
  LargeList,
  List,
  Map_,
  Struct,
  TimestampMicrosecond,
  TimestampNanosecond,
  Utf8,
  Utf8View,
  makeData,
  vectorFromArray,
  type Data,
  type DataType,
} from 'apache-arrow';
import { expect, test } from 'vitest';
import { arrowStream } from '../support/arrow-stream.ts';
import { createBench, refusal } from './support.ts';

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
  [
    'an index one beyond its dictionary',
    makeData({
      type: new Dictionary(new Utf8(), new Int32()),
      length: 2,
      nullCount: 0,
      data: Int32Array.of(0, 2),
      dictionary: vectorFromArray(['x', 'y'], new Utf8()),
    }),
    /points past the end of its dictionary/,
  ],
  [
    'fewer nulls than are said',
    makeData({ type: new Int32(), length: 3, nullCount: 2, nullBitmap: Uint8Array.of(0b101), data: Int32Array.of(1, 2, 3) }),
    /says that 2 values are null, and marks 1/,
  ],
  [
    'a value that no decimal has',
    makeData({ type: new Decimal(0, 38, 128), length: 1, nullCount: 0, data: Uint32Array.of(0, 0, 0, 0x80_00_00_00) }),
    /a value that no decimal of its type has/,
  ],
])('%s are a verdict, not nulls', async (_what, data, message) => {
  await using bench = await createBench();
  const source = await bench.file('odd.arrows', arrowStream([['a', data]], data.length));
  expect(await refusal(bench.shard({ source }))).toEqual({ verdict: 'bad_input', message: expect.stringMatching(message) });
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
  const source = await bench.file('odd.arrows', arrowStream([['a', data]], 2));
  const { rows } = await bench.rows(await bench.shard({ source }));
  expect(rows.map(({ a }) => a)).toEqual(['null', 'a']);
});

test('columns of one name get names of their own, as in Parquet', async () => {
  await using bench = await createBench();
  const number = makeData({ type: new Int32(), length: 1, nullCount: 0, data: Int32Array.from([7]) });
  const text = makeData({ type: new Utf8(), length: 1, nullCount: 0, ...bytesOf(['x']) });
  const source = await bench.file(
    'twice.arrows',
    arrowStream(
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

const column = (type: DataType, more: object): Data => makeData({ type, nullCount: 0, ...more } as never);

/** What the only column of a source becomes under an expression. */
async function values(data: Data, expression = 'a'): Promise<unknown[]> {
  await using bench = await createBench();
  const source = await bench.file('a.arrows', arrowStream([['a', data]], data.length));
  const { rows } = await bench.rows(await bench.shard({ source, columns: { made: expression } }));
  return rows.map(({ made }) => made);
}

const views = (): Data => {
  const bytes = Buffer.alloc(48);
  bytes.writeInt32LE(5, 0);
  bytes.write('short', 4);
  const long = Buffer.from('a text of more than twelve bytes: é');
  bytes.writeInt32LE(long.length, 16);
  bytes.write('a te', 20);
  return column(new Utf8View(), {
    length: 3,
    nullCount: 1,
    nullBitmap: Uint8Array.of(0b011),
    views: Uint8Array.from(bytes),
    variadicBuffers: [Uint8Array.from(long)],
  });
};

const integers = column(new Int32(), { length: 3, data: Int32Array.of(1, 2, -2_147_483_648) });
const item = new Field('item', new Int32(), true);

test('string views are texts', async () => {
  expect(await values(views())).toEqual(['short', 'a text of more than twelve bytes: é', 'null']);
});

test('a byte order mark is part of its text', async () => {
  expect(await values(vectorFromArray(['\uFEFFx'], new Utf8()).data[0]!)).toEqual(['\uFEFFx']);
});

test('the smallest int32 is a number like any other', async () => {
  expect(await values(integers)).toEqual([1, 2, -2_147_483_648]);
});

test('lists, structs, maps: JSON of what they hold, and no text in the quotes of another', async () => {
  const list = column(new List(item), { length: 2, valueOffsets: Int32Array.of(0, 1, 3), child: integers });
  const large = column(new LargeList(item), { length: 2, valueOffsets: BigInt64Array.of(0n, 1n, 3n), child: integers });
  for (const each of [list, large]) {
    expect(await values(each, 'to_json(a)::varchar')).toEqual(['[1]', '[2,-2147483648]']);
    expect(await values(each, 'a[1]')).toEqual([1, 2]);
  }
  const texts = vectorFromArray(['x"y', 'z', 'w'], new Utf8()).data[0]!;
  // Two fields of one name: both are there.
  const fields = [new Field('f', new Int32(), true), new Field('f', new Utf8(), true)];
  const struct = column(new Struct(fields), { length: 3, children: [integers, texts] });
  expect((await values(struct, 'to_json(a)::varchar'))[0]).toBe('{"f":1,"f_1":"x\\"y"}');
  const entries = new Struct([new Field('key', new Utf8(), false), new Field('value', new Int32(), true)]);
  const map = column(new Map_(new Field('entries', entries, false) as never), {
    length: 2,
    valueOffsets: Int32Array.of(0, 1, 3),
    child: column(entries, { length: 3, children: [texts, integers] }),
  });
  expect(await values(map, 'to_json(a)::varchar')).toEqual(['{"x\\"y":1}', '{"z":2,"w":-2147483648}']);
});

test('a length of time is its text, to the last digit', async () => {
  const data = column(new DurationMillisecond(), { length: 2, data: BigInt64Array.of(1_500n, -93_600_500n) });
  expect(await values(data)).toEqual(['00:00:01.5', '-26:00:00.5']);
});

test('an interval is its text, to the last digit, also of more nanoseconds than half of a word holds', async () => {
  const nanos = (value: bigint): number[] => [0n, 32n].map((shift) => Number(BigInt.asIntN(32, value >> shift)));
  const intervals: [months: number, days: number, nanos: bigint][] = [
    [14, 3, 3_000_000_000n],
    [0, 0, -3_000_000_000n],
    [0, 0, 14_706_000_000_001n],
  ];
  const words = intervals.flatMap(([months, days, clock]) => [months, days, ...nanos(clock)]);
  const data = column(new IntervalMonthDayNano(), { length: 3, data: Int32Array.from(words) });
  expect(await values(data)).toEqual(['1 year 2 months 3 days 00:00:03', '-00:00:03', '04:05:06.000000001']);
});

test('times are cut to the millisecond, never late', async () => {
  const micro = column(new TimestampMicrosecond(), { length: 2, data: BigInt64Array.of(1_704_067_200_123_999n, -1n) });
  const nano = column(new TimestampNanosecond(), { length: 2, data: BigInt64Array.of(1_704_067_200_123_999_999n, -1n) });
  for (const data of [micro, nano]) expect(await values(data)).toEqual([1_704_067_200_123, -1]);
  expect(await values(nano, 'a::varchar')).toEqual(['2024-01-01 00:00:00.123999999', '1969-12-31 23:59:59.999999999']);
  expect(await values(column(new DateDay(), { length: 1, data: Int32Array.of(-1) }))).toEqual([-86_400_000]);
});

test('a decimal of more digits than its type says keeps them', async () => {
  // The last one is the largest number of 128 bits: 39 digits.
  const last = [0xff_ff_ff_ff, 0xff_ff_ff_ff, 0xff_ff_ff_ff, 0x7f_ff_ff_ff];
  const data = column(new Decimal(2, 3, 128), { length: 3, data: Uint32Array.of(123_456, 0, 0, 0, 7, 0, 0, 0, ...last) });
  await using bench = await createBench();
  const source = await bench.file('wide.arrows', arrowStream([['d', data]], 3));
  const { rows } = await bench.rows(await bench.shard({ source, columns: { d: 'd::varchar' } }));
  expect(rows.map(({ d }) => d)).toEqual(['1234.56', '0.07', '1701411834604692317316873037158841057.27']);
});

test('a decimal is its digits: ids of twenty digits stay apart', async () => {
  const words = (value: bigint): number[] => [0n, 32n, 64n, 96n].map((shift) => Number(BigInt.asUintN(32, value >> shift)));
  const ids = [12_345_678_901_234_567_890n, 12_345_678_901_234_567_891n, -1n];
  const data = column(new Decimal(0, 20, 128), { length: 3, data: Uint32Array.from(ids.flatMap(words)) });
  await using bench = await createBench();
  const source = await bench.file('ids.arrows', arrowStream([['id', data]], 3));
  const shards = await bench.shard({ source, idField: 'id', id: { column: 'id' } });
  expect(shards.duplicates).toEqual([]);
  expect((await bench.rows(shards)).ids).toEqual(ids.map(String));
});

test('vectors may be lists of whole numbers, or large lists', async () => {
  await using bench = await createBench();
  const six = column(new Int32(), { length: 6, data: Int32Array.of(1, 2, 3, 4, 5, 6) });
  const lists: Data[] = [
    column(new LargeList(item), { length: 2, valueOffsets: BigInt64Array.of(0n, 3n, 6n), child: six }),
    column(new FixedSizeList(3, item), { length: 2, child: six }),
  ];
  for (const data of lists) {
    const source = await bench.file('vectors.arrows', arrowStream([['_embeddings', data]], 2));
    expect(await bench.shard({ source })).toMatchObject({
      sent: 2,
      rejected: 0,
      columns: [{}, { name: '_embeddings', type: 'vector', width: 3 }],
    });
  }
});
