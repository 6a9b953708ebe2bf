import {
  DataType,
  Field,
  FixedSizeList,
  Float32,
  Int32,
  RecordBatchStreamWriter,
  Schema,
  Table,
  TimestampMillisecond,
  Utf8,
  tableToIPC,
  vectorFromArray,
} from 'apache-arrow';
import type { Row } from './rows.ts';
import type { StoredColumn } from './schema.ts';

/** The Arrow type of a column's values. */
export const arrowType = ({ type, dimensions }: StoredColumn): DataType => {
  const types: Record<StoredColumn['type'], () => DataType> = {
    int32: () => new Int32(),
    float32: () => new Float32(),
    timestamp: () => new TimestampMillisecond(),
    string: () => new Utf8(),
    vector: () => new FixedSizeList(dimensions!, new Field('item', new Float32(), true)),
  };
  return types[type]();
};

/** Columns of a dataset as an Arrow schema. */
export const schemaOf = (columns: readonly StoredColumn[]): Schema =>
  new Schema(columns.map((column) => new Field(column.name, arrowType(column), true)));

/** One encapsulated Arrow IPC schema message. */
export const schemaMessage = (schema: Schema): Buffer => {
  const writer = new RecordBatchStreamWriter();
  writer.reset(undefined, schema);
  writer.finish();
  const stream = Buffer.from(writer.toUint8Array(true));
  // Continuation marker, length of the message, message; what follows is the end of the stream.
  return stream.subarray(0, 8 + stream.readInt32LE(4));
};

/** Rows as one uncompressed Arrow IPC file: a public client cannot read compressed batches. */
export const rowsToArrow = (columns: readonly StoredColumn[], rows: readonly Row[]): Uint8Array =>
  tableToIPC(
    new Table(
      schemaOf(columns),
      Object.fromEntries(
        columns.map((column) => [
          column.name,
          vectorFromArray(
            rows.map((row) => row[column.name] ?? null),
            arrowType(column),
          ),
        ]),
      ),
    ),
    'file',
  );
