import {
  Data,
  Field,
  FixedSizeList,
  Float32,
  Int32,
  RecordBatch,
  Schema,
  Struct,
  Table,
  TimestampMillisecond,
  Utf8,
  makeData,
  tableToIPC,
  type DataType,
} from 'apache-arrow';
import type { ColumnType, DataColumn } from '../../data-column.ts';

/** Null only in scalar columns. */
export type ShardValue = string | number | null | Float32Array;

const arrowTypes: Record<ColumnType, () => DataType> = {
  int32: () => new Int32(),
  float32: () => new Float32(),
  timestamp: () => new TimestampMillisecond(),
  string: () => new Utf8(),
};

const typeOf = ({ type, width }: DataColumn): DataType =>
  type === 'vector' ? new FixedSizeList(width!, new Field('item', new Float32(), false)) : arrowTypes[type]();

function vectorData(column: DataColumn, values: ShardValue[]): Data {
  const width = column.width!;
  const data = new Float32Array(values.length * width);
  values.forEach((value, row) => data.set(value as Float32Array, row * width));
  const child = makeData({ type: new Float32(), length: data.length, nullCount: 0, data });
  return makeData({ type: typeOf(column) as FixedSizeList, length: values.length, nullCount: 0, child });
}

const widths: Record<ColumnType, number> = { int32: 4, float32: 4, timestamp: 8, string: 4 };

function bitmap(values: ShardValue[]): { nullCount: number; nullBitmap?: Uint8Array } {
  const nullCount = values.reduce<number>((count, value) => count + (value === null ? 1 : 0), 0);
  if (nullCount === 0) return { nullCount };
  const nullBitmap = new Uint8Array((values.length + 7) >> 3);
  values.forEach((value, at) => {
    if (value !== null) nullBitmap[at >> 3]! |= 1 << (at & 7);
  });
  return { nullCount, nullBitmap };
}

function textData(values: ShardValue[]): Data {
  const bytes = Buffer.from(values.map((value) => value ?? '').join(''), 'utf8');
  const valueOffsets = new Int32Array(values.length + 1);
  let end = 0;
  values.forEach((value, at) => {
    end += value === null ? 0 : Buffer.byteLength(value as string);
    valueOffsets[at + 1] = end;
  });
  return makeData({ type: new Utf8(), length: values.length, ...bitmap(values), valueOffsets, data: new Uint8Array(bytes) });
}

const encode: Record<ColumnType, (values: ShardValue[]) => Data> = {
  int32: (values) => makeData({ type: new Int32(), length: values.length, ...bitmap(values), data: Int32Array.from(values, Number) }),
  float32: (values) => makeData({ type: new Float32(), length: values.length, ...bitmap(values), data: Float32Array.from(values, Number) }),
  timestamp: (values) =>
    makeData({
      type: new TimestampMillisecond(),
      length: values.length,
      ...bitmap(values),
      data: BigInt64Array.from(values, (value) => BigInt((value as number | null) ?? 0)),
    }),
  string: textData,
};

/** Shard metadata that names the target and makes the upload repeatable (maps API, add/arrow). */
const metadata = (projectId: string, rows: number): Map<string, string> =>
  new Map([
    ['project_id', projectId],
    ['on_id_conflict_ignore', 'true'],
    ['num_rows', String(rows)],
  ]);

/** One uncompressed Arrow IPC file of one record batch. */
export function encodeShard(columns: DataColumn[], values: ShardValue[][], projectId: string): Uint8Array {
  const rows = values[0]?.length ?? 0;
  const schema = new Schema(
    columns.map((column) => new Field(column.name, typeOf(column), true)),
    metadata(projectId, rows),
  );
  const children = columns.map((column, at) =>
    column.type === 'vector' ? vectorData(column, values[at]!) : encode[column.type](values[at]!),
  );
  const batch = new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length: rows, nullCount: 0, children }));
  return tableToIPC(new Table(schema, rows === 0 ? [] : [batch]), 'file');
}

/** Bytes of a shard from above: of one without rows, with room for padding, and of a row beside its texts. */
export function shardSizes(columns: DataColumn[], projectId: string): { overhead: number; width: number } {
  // Messages, footer and padding of each buffer, beside the values themselves.
  const overhead =
    encodeShard(
      columns,
      columns.map(() => []),
      projectId,
    ).byteLength +
    1024 +
    columns.length * 320;
  const width = columns.reduce((sum, { type, width = 0 }) => sum + (type === 'vector' ? width * 4 : widths[type]) + 0.125, 0);
  return { overhead, width };
}

type ShardLimits = { maxRows: number; maxBytes: number };

/** How full a shard is that has so many bytes without rows. */
export function createFill({ maxRows, maxBytes }: ShardLimits, overhead: number) {
  let rows = 0;
  let bytes = overhead;
  return {
    /** Rows of this size go into shards at all. */
    takes: (size: number): boolean => overhead + size <= maxBytes,
    /** A row of this size has room beside those that are there. */
    fits: (size: number): boolean => rows < maxRows && bytes + size <= maxBytes,
    add(size: number): void {
      rows += 1;
      bytes += size;
    },
    get rows(): number {
      return rows;
    },
    empty(): void {
      rows = 0;
      bytes = overhead;
    },
  };
}

/** Collects rows into shards of at most `maxRows` rows and `maxBytes` bytes; sizes are bounded from above before encoding. */
export function createShardBuilder(columns: DataColumn[], limits: ShardLimits, projectId: string) {
  const { overhead, width } = shardSizes(columns, projectId);
  const fill = createFill(limits, overhead);
  let values: ShardValue[][] = columns.map(() => []);

  const sizeOf = (row: ShardValue[]): number =>
    row.reduce<number>((sum, value) => sum + (typeof value === 'string' ? Buffer.byteLength(value) : 0), width);

  return {
    /** Bytes that the values of a row take. */
    sizeOf,
    takes: fill.takes,
    fits: fill.fits,
    add(row: ShardValue[], size: number): void {
      for (let at = 0; at < row.length; at += 1) values[at]!.push(row[at]!);
      fill.add(size);
    },
    get rows(): number {
      return fill.rows;
    },
    /** The shard so far; the next one starts empty. */
    take(): { bytes: Uint8Array; rows: number } {
      const taken = { bytes: encodeShard(columns, values, projectId), rows: fill.rows };
      values = columns.map(() => []);
      fill.empty();
      return taken;
    },
  };
}
