import {
  Field,
  FixedSizeList,
  Float32,
  RecordBatch,
  Schema,
  Struct,
  Table,
  Uint64,
  Uint32,
  Utf8,
  makeData,
  tableToIPC,
  vectorFromArray,
} from 'apache-arrow';
import type { Data, DataType } from 'apache-arrow';

/** A column of a file, whole. */
export type Made = { field: Field; data: Data };

export const floats = (name: string, values: Float32Array): Made => {
  const type = new Float32();
  return { field: new Field(name, type, true), data: makeData({ type, length: values.length, data: values }) };
};

export const whole = (name: string, values: BigUint64Array): Made => {
  const type = new Uint64();
  return { field: new Field(name, type, true), data: makeData({ type, length: values.length, data: values }) };
};

export const counts = (name: string, values: readonly number[]): Made => {
  const type = new Uint32();
  return { field: new Field(name, type, true), data: makeData({ type, length: values.length, data: Uint32Array.from(values) }) };
};

/** Vectors of equal width, flat. */
export const vectors = (name: string, values: Float32Array, dimensions: number): Made => {
  const item = new Float32();
  const type = new FixedSizeList(dimensions, new Field('item', item, true));
  const child = makeData({ type: item, length: values.length, data: values });
  return { field: new Field(name, type, true), data: makeData({ type, length: values.length / dimensions, child }) };
};

export const valuesOf = (name: string, type: DataType, values: readonly unknown[]): Made => {
  const [data] = vectorFromArray(values as never[], type).data;
  // Of no values there is no part.
  return { field: new Field(name, type, true), data: data ?? makeData({ type, length: 0 }) };
};

export const texts = (name: string, values: readonly string[]): Made => valuesOf(name, new Utf8(), values);

/** An uncompressed Arrow IPC file of one batch: viewers read the first one only. */
export const fileOf = (columns: readonly Made[], metadata: Readonly<Record<string, string>> = {}): Uint8Array => {
  const schema = new Schema(
    columns.map(({ field }) => field),
    new Map(Object.entries(metadata)),
  );
  const length = columns[0]?.data.length ?? 0;
  const data = makeData({ type: new Struct(schema.fields), length, children: columns.map((column) => column.data) });
  return tableToIPC(new Table(schema, new RecordBatch(schema, data)), 'file');
};
