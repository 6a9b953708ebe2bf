import { Field, RecordBatch, RecordBatchFileWriter, RecordBatchStreamWriter, Schema, Struct, makeData, type Data } from 'apache-arrow';

type Columns = [name: string, data: Data][];

const batchOf = (columns: Columns, rows: number, schema: Schema): RecordBatch =>
  new RecordBatch(
    schema,
    makeData({ type: new Struct(schema.fields), length: rows, nullCount: 0, children: columns.map(([, data]) => data) }),
  );

const schemaOf = (columns: Columns): Schema => new Schema(columns.map(([name, { type }]) => new Field(name, type, true)));

/** A stream of `batches` equal batches of these buffers, as any program may write it. */
export function arrowStream(columns: Columns, rows: number, batches = 1): Uint8Array {
  const schema = schemaOf(columns);
  const writer = new RecordBatchStreamWriter();
  for (let made = 0; made < batches; made += 1) writer.write(batchOf(columns, rows, schema));
  writer.close();
  return writer.toUint8Array(true);
}

/** The same as a file. */
export function arrowFileOf(columns: Columns, rows: number): Uint8Array {
  const writer = new RecordBatchFileWriter();
  writer.write(batchOf(columns, rows, schemaOf(columns)));
  writer.close();
  return writer.toUint8Array(true);
}
