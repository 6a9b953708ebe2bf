import { isUtf8 } from 'node:buffer';
import { DataType, util, type Data, type RecordBatch, type Union, type Vector } from 'apache-arrow';
import { damaged } from './verdict.ts';

const checked = new WeakSet<Vector>();

type Offsets = ArrayLike<number | bigint>;

/** Offsets rise from 0 on and stay within what they point into. */
function checkOffsets(offsets: Offsets, length: number, limit: number, what: string): void {
  if (length === 0) return;
  if (offsets.length < length + 1) damaged(`${what} has fewer offsets than values`);
  if (offsets[0]! < 0) damaged(`${what} has a negative offset`);
  for (let at = 0; at < length; at += 1) if (offsets[at]! > offsets[at + 1]!) damaged(`${what} has offsets that fall`);
  if (offsets[length]! > limit) damaged(`${what} points past the end of its values`);
}

/** Text is UTF-8, value by value: the reader would put replacement characters in its place. */
function checkText(data: Data, values: Uint8Array, offsets: Offsets, what: string): void {
  const { length } = data;
  if (length === 0) return;
  const startsInside = (at: number): boolean => at < values.length && (values[at]! & 0xc0) === 0x80;
  let whole = isUtf8(values.subarray(Number(offsets[0]), Number(offsets[length])));
  for (let at = 0; at < length && whole; at += 1) whole = offsets[at] === offsets[at + 1] || !startsInside(Number(offsets[at]));
  if (whole) return;
  // Bytes under a null belong to no value.
  for (let at = 0; at < length; at += 1)
    if (data.getValid(at) && !isUtf8(values.subarray(Number(offsets[at]), Number(offsets[at + 1]))))
      damaged(`${what} has text that is not UTF-8 in row ${at + 1} of a batch`);
}

function checkViews(data: Data, what: string): void {
  const views = data.values as Uint8Array;
  if (views.length < data.length * 16) damaged(`${what} has fewer values than rows`);
  const view = new DataView(views.buffer, views.byteOffset, views.byteLength);
  const text = DataType.isUtf8View(data.type);
  for (let at = 0; at < data.length; at += 1) {
    if (!data.getValid(at)) continue;
    const length = view.getInt32(at * 16, true);
    const inline = length <= 12;
    const buffer = inline ? views : data.variadicBuffers[view.getInt32(at * 16 + 8, true)];
    const from = inline ? at * 16 + 4 : view.getInt32(at * 16 + 12, true);
    if (length < 0 || from < 0 || !buffer || from + length > buffer.length) damaged(`${what} points past the end of its values`);
    if (text && !isUtf8(buffer!.subarray(from, from + length))) damaged(`${what} has text that is not UTF-8 in row ${at + 1} of a batch`);
  }
}

function checkUnion(data: Data, places: Union['typeIdToChildIndex'], what: string): void {
  const { typeIds, valueOffsets, length, children } = data;
  if (typeIds.length < length) damaged(`${what} has fewer types than values`);
  const dense = DataType.isDenseUnion(data.type);
  if (dense && valueOffsets.length < length) damaged(`${what} has fewer offsets than values`);
  for (let at = 0; at < length; at += 1) {
    const child = children[places[typeIds[at] as number] ?? -1];
    const place = dense ? (valueOffsets[at] as number) : at;
    if (!child || place < 0 || place >= child.length) damaged(`${what} points past the end of its values`);
  }
}

function checkDictionary(data: Data, what: string): void {
  const { dictionary, values, length } = data;
  if (!dictionary) return damaged(`${what} has no dictionary`);
  if (!checked.has(dictionary)) {
    checked.add(dictionary);
    for (const part of dictionary.data) checkData(part, `the dictionary of ${what}`);
  }
  const indices = values as ArrayLike<number | bigint>;
  for (let at = 0; at < length; at += 1)
    if (data.getValid(at) && (indices[at]! < 0 || indices[at]! >= dictionary.length))
      damaged(`${what} points past the end of its dictionary`);
}

/** There is a validity bit for each value, and as many nulls as the batch declares. */
function checkNulls({ length, nullCount, nullBitmap, offset }: Data, what: string): void {
  if (nullBitmap.length * 8 < length) damaged(`${what} has fewer marks of nulls than values`);
  const nulls = length - util.popcnt_bit_range(nullBitmap, offset, offset + length);
  if (nulls !== nullCount) damaged(`${what} says that ${nullCount} values are null, and marks ${nulls}`);
}

/**
 * Refuses data whose buffers do not hold what their lengths say. The reader checks nothing: what is missing
 * it would hand out as nulls, and a row would be wrong.
 */
function checkData(data: Data, what: string): void {
  const { type, length, children } = data;
  if (!Number.isSafeInteger(length) || length < 0) damaged(`${what} has no sensible length`);
  if (DataType.isNull(type)) return;
  if (DataType.isUnion(type)) checkUnion(data, type.typeIdToChildIndex, what);
  else if (data.nullCount > 0) checkNulls(data, what);
  if (DataType.isDecimal(type) && ![32, 64, 128, 256].includes(type.bitWidth)) damaged(`${what} is a decimal of ${type.bitWidth} bits`);
  const enough = (count: number): void => void (count < length && damaged(`${what} has fewer values than rows`));
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isBinary(type) || DataType.isLargeBinary(type)) {
    const values = data.values as Uint8Array;
    checkOffsets(data.valueOffsets, length, values.length, what);
    if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) checkText(data, values, data.valueOffsets, what);
  } else if (DataType.isUtf8View(type) || DataType.isBinaryView(type)) checkViews(data, what);
  else if (DataType.isList(type) || DataType.isLargeList(type) || DataType.isMap(type))
    checkOffsets(data.valueOffsets, length, children[0]?.length ?? 0, what);
  else if (DataType.isFixedSizeList(type)) {
    if ((children[0]?.length ?? 0) < length * type.listSize) damaged(`${what} has fewer values than rows`);
  } else if (DataType.isBool(type)) enough((data.values as Uint8Array).length * 8);
  else if (DataType.isStruct(type)) for (const child of children) enough(child.length);
  else if (!DataType.isUnion(type)) enough(Math.floor((data.values as Uint8Array).length / data.stride));
  if (DataType.isDictionary(type)) checkDictionary(data, what);
  for (const child of children) checkData(child, what);
}

/** Refuses a record batch with a column whose buffers do not hold what the batch says. */
export function checkBatch(batch: RecordBatch): void {
  batch.schema.fields.forEach(({ name }, at) => {
    const data = batch.data.children[at];
    if (!data || data.length !== batch.numRows) return damaged(`column '${name}' has another number of rows than its batch`);
    checkData(data, `column '${name}'`);
  });
}
