import { Data, DataType, Field, RecordBatch, Schema, Struct, Utf8, makeData, vectorFromArray } from 'apache-arrow';
import { textsIn } from '../../../../arrow/texts.ts';
import { BadInput } from '../../../../errors/classes.ts';

const isPlain = (type: DataType): boolean =>
  DataType.isInt(type) ||
  DataType.isFloat(type) ||
  DataType.isTimestamp(type) ||
  DataType.isDate(type) ||
  DataType.isUtf8(type) ||
  DataType.isLargeUtf8(type) ||
  DataType.isNull(type);

const plainType = ({ name, type }: Field): DataType => {
  const of: DataType = DataType.isDictionary(type) ? type.dictionary : type;
  if (DataType.isUtf8View(of)) return new Utf8();
  if (isPlain(of) || (DataType.isFixedSizeList(of) && !DataType.isDictionary(type) && DataType.isFloat(of.children[0]!.type))) return of;
  throw new BadInput(
    'bad_input',
    `column '${name}': type ${String(type)} is not accepted: int32, float32, timestamp[ms] and string are; make it text before the upload`,
  );
};

/** The schema of a file once its dictionaries are replaced by their values; refuses types that no dataset takes. */
export const plainSchema = (schema: Schema): Schema =>
  new Schema(
    schema.fields.map((field) => new Field(field.name, plainType(field), true, field.metadata)),
    schema.metadata,
  );

const isValid = ({ nullBitmap, offset }: Data, row: number): boolean => {
  if (!nullBitmap || nullBitmap.byteLength === 0) return true;
  const at = offset + row;
  return (nullBitmap[at >> 3]! & (1 << (at & 7))) !== 0;
};

/** Texts of a dictionary of one piece, copied as bytes; `most` bounds what they take together. */
function textsOf(data: Data, words: Data, most: number): Data {
  const { length, values: keys } = data;
  const from = words.valueOffsets as Int32Array;
  const valueOffsets = new Int32Array(length + 1);
  const nullBitmap = new Uint8Array((length + 7) >> 3);
  let end = 0;
  let nullCount = 0;
  for (let row = 0; row < length; row += 1) {
    const key = Number((keys as Int32Array)[row]);
    if (!isValid(data, row)) nullCount += 1;
    else if (!(key >= 0 && key < words.length))
      throw new BadInput('bad_input', `a dictionary has ${words.length} values and no number ${key}`);
    else if (isValid(words, key)) {
      nullBitmap[row >> 3]! |= 1 << (row & 7);
      end += from[key + 1]! - from[key]!;
    } else nullCount += 1;
    if (end > most || end > 2 ** 31 - 1) throw new BadInput('too_large', 'a dictionary grows too large when its values are written out');
    valueOffsets[row + 1] = end;
  }
  const bytes = new Uint8Array(end);
  for (let row = 0; row < length; row += 1) {
    if (valueOffsets[row + 1] === valueOffsets[row]) continue;
    const key = Number((keys as Int32Array)[row]);
    bytes.set((words.values as Uint8Array).subarray(from[key], from[key + 1]), valueOffsets[row]);
  }
  return makeData({ type: new Utf8(), length, nullCount, ...(nullCount > 0 ? { nullBitmap } : {}), valueOffsets, data: bytes });
}

/** A column with other types than its file gave it: dictionaries and views become plain. */
function plainData(batch: RecordBatch, at: number, type: DataType, most: number): Data {
  const data = batch.data.children[at]!;
  if (!DataType.isDictionary(data.type) && !DataType.isUtf8View(data.type)) return data;
  const pieces = data.dictionary?.data ?? [];
  if (pieces.length === 1 && DataType.isUtf8(pieces[0]!.type)) return textsOf(data, pieces[0]!, most);
  const vector = batch.getChildAt(at)!;
  const values: unknown[] = textsIn(vector) ?? Array.from(vector);
  let total = 0;
  for (const value of values) {
    total += typeof value === 'string' ? value.length : 8;
    if (total > most) throw new BadInput('too_large', 'a dictionary grows too large when its values are written out');
  }
  return data.length === 0 ? makeData({ type: new Utf8() }) : vectorFromArray(values as never[], type as Utf8).data[0]!;
}

/** A batch in the types of `schema` (see `plainSchema`); `most`: bytes that a column may take. */
export const plainBatch = (schema: Schema, batch: RecordBatch, most: number): RecordBatch =>
  new RecordBatch(
    schema,
    makeData({
      type: new Struct(schema.fields),
      length: batch.numRows,
      nullCount: 0,
      children: schema.fields.map(({ type }, at) => plainData(batch, at, type, most)),
    }),
  );
