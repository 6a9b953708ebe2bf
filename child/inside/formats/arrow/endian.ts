import { Data, DataType, IntervalUnit, RecordBatch, Vector, type Struct } from 'apache-arrow';
import { damaged } from '../../../../arrow/verdict.ts';

/** Widths of the format's numbers in bytes. */
const numberWidths = new Set([1, 2, 4, 8, 16, 32]);

const turned = new WeakMap<Vector, Vector>();

/** The same bytes with each group of the given widths turned round. */
function turn<T extends ArrayBufferView | undefined>(view: T, ...widths: number[]): T {
  if (!view || view.byteLength === 0) return view;
  const bytes = Buffer.from(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  if (!widths.every((width) => numberWidths.has(width))) return damaged('a column of numbers of no known width');
  const group = widths.reduce((sum, width) => sum + width, 0);
  for (let at = 0; at + group <= bytes.length;)
    for (const width of widths) {
      bytes.subarray(at, at + width).reverse();
      at += width;
    }
  const whole = Uint8Array.from(bytes);
  const Kind = view.constructor as new (buffer: ArrayBuffer) => T & ArrayBufferView;
  return new Kind(whole.buffer);
}

/** Widths of the numbers that one value is made of; undefined where a value is bytes or bits. */
function widthsOf(type: DataType): number[] | undefined {
  if (DataType.isDictionary(type)) return widthsOf(type.indices);
  if (DataType.isInt(type) || DataType.isTime(type)) return [type.bitWidth / 8];
  if (DataType.isFloat(type)) return [[2, 4, 8][type.precision]!];
  if (DataType.isDecimal(type)) return [type.bitWidth / 8];
  if (DataType.isDate(type)) return [[4, 8][type.unit]!];
  if (DataType.isTimestamp(type) || DataType.isDuration(type)) return [8];
  if (!DataType.isInterval(type)) return undefined;
  return type.unit === IntervalUnit.MONTH_DAY_NANO ? [4, 4, 8] : [4];
}

/** Views of at most 12 bytes hold them; longer ones hold a prefix, a buffer and an offset. */
function turnViews(views: Uint8Array): Uint8Array {
  const result = Uint8Array.from(views);
  const view = new DataView(result.buffer);
  for (let at = 0; at + 16 <= result.length; at += 16) {
    const swap = (place: number): void => view.setInt32(place, view.getInt32(place, false), true);
    swap(at);
    if (view.getInt32(at, true) <= 12) continue;
    swap(at + 8);
    swap(at + 12);
  }
  return result;
}

function toLittleEndian(data: Data): Data {
  const { type } = data;
  const widths = widthsOf(type);
  const isView = DataType.isUtf8View(type) || DataType.isBinaryView(type);
  const large = DataType.isLargeUtf8(type) || DataType.isLargeBinary(type) || DataType.isLargeList(type);
  const values = isView ? turnViews(data.values as Uint8Array) : widths ? turn(data.values as Uint8Array, ...widths) : data.values;
  return new Data(
    type,
    data.offset,
    data.length,
    data.nullCount,
    [turn(data.valueOffsets as Int32Array | undefined, large ? 8 : 4), values, data.nullBitmap, data.typeIds] as never,
    data.children.map(toLittleEndian),
    data.dictionary && turnDictionary(data.dictionary),
    data.variadicBuffers,
  );
}

/** A batch of a big-endian file with its numbers turned round: the reader takes all for little-endian ones. */
export const littleEndian = (batch: RecordBatch): RecordBatch => new RecordBatch(batch.schema, toLittleEndian(batch.data) as Data<Struct>);

/** Batches share their dictionaries: each is turned once. */
function turnDictionary(dictionary: Vector): Vector {
  const known = turned.get(dictionary);
  if (known) return known;
  const made = new Vector(dictionary.data.map(toLittleEndian));
  turned.set(dictionary, made);
  return made;
}
