import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import {
  CompressionType,
  compressionRegistry,
  makeData,
  RecordBatch,
  RecordBatchFileWriter,
  Field,
  Float64,
  Schema,
  Struct,
} from 'apache-arrow';

/** One value of the letter a, as Parquet's plain encoding has it: its length, then its bytes. */
const page = (valueBytes: number): Buffer => {
  const bytes = Buffer.alloc(valueBytes + 4, 'a');
  bytes.writeUInt32LE(valueBytes, 0);
  return bytes;
};
const head = (valueBytes: number): Buffer => {
  const bytes = Buffer.from('0000a');
  bytes.writeUInt32LE(valueBytes, 0);
  return bytes;
};

const varint = (value: number): number[] => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return [...bytes, rest];
};

/** One block of LZ4: a few bytes as they are, then a run of the last of them, at 255 bytes for one. */
export function lz4Run(head: Buffer, length: number): Buffer {
  const run = length - head.length - 5;
  const rest = run - 4 - 15;
  return Buffer.concat([
    Buffer.from([(head.length << 4) | 15, ...head, 1, 0]),
    Buffer.alloc(Math.floor(rest / 255), 255),
    Buffer.from([rest % 255, 5 << 4]),
    Buffer.alloc(5, head.at(-1)),
  ]);
}

/** The same in Snappy, at 64 bytes for three. */
function snappyRun(head: Buffer, length: number): Buffer {
  const parts = [Buffer.from([...varint(length), (head.length - 1) << 2, ...head])];
  const run = length - head.length;
  parts.push(Buffer.alloc(Math.floor(run / 64) * 3, Buffer.from([0xfe, 1, 0])));
  if (run % 64 > 0) parts.push(Buffer.from([(((run % 64) - 1) << 2) | 2, 1, 0]));
  return Buffer.concat(parts);
}

/** Codecs of Parquet with their numbers in the format, and how each packs a page of one value. */
const parquetBombs: Record<string, { id: number; pack(valueBytes: number): Buffer }> = {
  snappy: { id: 1, pack: (bytes) => snappyRun(head(bytes), bytes + 4) },
  gzip: { id: 2, pack: (bytes) => gzipSync(page(bytes), { level: 1 }) },
  brotli: { id: 4, pack: (bytes) => brotliCompressSync(page(bytes), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }) },
  zstd: { id: 6, pack: (bytes) => zstdCompressSync(page(bytes)) },
  lz4_raw: { id: 7, pack: (bytes) => lz4Run(head(bytes), bytes + 4) },
};

export const parquetCodecs = Object.keys(parquetBombs);

/** Values of Thrift's compact protocol, for the few structs that a Parquet file needs. */
const zigzag = (value: number): number[] => varint(value < 0 ? -value * 2 - 1 : value * 2);
const i32 = (value: number) => ({ type: 5, bytes: zigzag(value) });
const i64 = (value: number) => ({ type: 6, bytes: zigzag(value) });
const text = (value: string) => ({ type: 8, bytes: [...varint(value.length), ...Buffer.from(value)] });
const list = (type: number, items: number[][]) => ({
  type: 9,
  bytes: [...(items.length < 15 ? [(items.length << 4) | type] : [0xf0 | type, ...varint(items.length)]), ...items.flat()],
});
function struct(fields: Record<number, { type: number; bytes: number[] }>): { type: number; bytes: number[] } {
  const bytes: number[] = [];
  let last = 0;
  for (const [id, value] of Object.entries(fields)) {
    bytes.push(((Number(id) - last) << 4) | value.type, ...value.bytes);
    last = Number(id);
  }
  return { type: 12, bytes: [...bytes, 0] };
}

/**
 * A Parquet file with one text column of `rows` values of `valueBytes`, in some kB: all row groups point at one
 * compressed page. Its footer says what it decodes to, or, as a liar, next to nothing.
 */
export function parquetBomb(
  codec: string,
  {
    rows,
    valueBytes,
    honest = false,
    checksum,
  }: { rows: number; valueBytes: number; honest?: boolean; checksum?: (page: Buffer) => number },
): Buffer {
  const { id, pack } = parquetBombs[codec]!;
  const body = pack(valueBytes);
  const header: Parameters<typeof struct>[0] = {
    1: i32(0),
    2: i32(valueBytes + 4),
    3: i32(body.length),
    5: struct({ 1: i32(1), 2: i32(0), 3: i32(3), 4: i32(3) }),
  };
  if (checksum) header[4] = i32(checksum(body) | 0);
  const pageHeader = struct(header);
  const chunkBytes = pageHeader.bytes.length + body.length;
  const said = honest ? valueBytes + 4 : 100;
  const meta = struct({
    1: i32(6),
    2: list(5, [zigzag(0)]),
    3: list(8, [text('a').bytes]),
    4: i32(id),
    5: i64(1),
    6: i64(said),
    7: i64(chunkBytes),
    9: i64(4),
  });
  const group = struct({ 1: list(12, [struct({ 2: i64(4), 3: meta }).bytes]), 2: i64(said), 3: i64(1) }).bytes;
  const footer = struct({
    1: i32(1),
    2: list(12, [struct({ 4: text('schema'), 5: i32(1) }).bytes, struct({ 1: i32(6), 3: i32(0), 4: text('a'), 6: i32(0) }).bytes]),
    3: i64(rows),
    4: list(
      12,
      Array.from({ length: rows }, () => group),
    ),
  });
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.bytes.length);
  return Buffer.concat([Buffer.from('PAR1'), Buffer.from(pageHeader.bytes), body, Buffer.from(footer.bytes), length, Buffer.from('PAR1')]);
}

const lz4Frame = (blocks: number): Buffer => {
  const block = lz4Run(Buffer.from([0]), 4 * 1024 * 1024);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(block.length);
  return Buffer.concat([
    Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0x73]),
    ...Array.from({ length: blocks }, () => [size, block]).flat(),
    Buffer.alloc(4),
  ]);
};

/** Bombs of `GiB` gibibytes for the codecs of Arrow: frames that repeat one small block. */
const arrowBombs: Record<string, { type: CompressionType; frame(GiB: number): Buffer }> = {
  zstd: {
    type: CompressionType.ZSTD,
    frame: (GiB) => Buffer.concat(Array(GiB * 64).fill(zstdCompressSync(Buffer.alloc(16 * 1024 * 1024)))),
  },
  lz4: { type: CompressionType.LZ4_FRAME, frame: (GiB) => lz4Frame(GiB * 256) },
};

export const arrowCodecs = Object.keys(arrowBombs);

/** An Arrow file with `batches` batches of one column whose compressed buffer grows to `GiB` gibibytes each. */
export function arrowBomb(codec: string, GiB: number, batches = 1): Uint8Array {
  const { type, frame } = arrowBombs[codec]!;
  const bytes = frame(GiB);
  const known = compressionRegistry.get(type);
  compressionRegistry.set(type, { encode: () => bytes });
  try {
    const values = new Float64Array(Math.ceil(bytes.length / 8) + 1);
    const schema = new Schema([new Field('a', new Float64(), false)]);
    const data = makeData({ type: new Float64(), length: values.length, nullCount: 0, data: values });
    const batch = new RecordBatch(
      schema,
      makeData({ type: new Struct(schema.fields), length: values.length, nullCount: 0, children: [data] }),
    );
    const writer = new RecordBatchFileWriter({ compressionType: type });
    for (let at = 0; at < batches; at += 1) writer.write(batch);
    writer.close();
    return writer.toUint8Array(true);
  } finally {
    if (known) compressionRegistry.set(type, known);
  }
}
