import { invalid } from '../../core/errors.ts';

const MAGIC = '\u0093NUMPY';

/** Value of a half float (IEEE 754 binary16) given by its bits. */
const half = (bits: number): number => {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * 2 ** -14 * (fraction / 1_024);
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1_024);
};

/** By the type's name without its byte order. */
const readers: Record<string, { bytes: number; read: (view: DataView, at: number, little: boolean) => number }> = {
  f2: { bytes: 2, read: (view, at, little) => half(view.getUint16(at, little)) },
  f4: { bytes: 4, read: (view, at, little) => view.getFloat32(at, little) },
  f8: { bytes: 8, read: (view, at, little) => view.getFloat64(at, little) },
  i1: { bytes: 1, read: (view, at) => view.getInt8(at) },
  u1: { bytes: 1, read: (view, at) => view.getUint8(at) },
  i2: { bytes: 2, read: (view, at, little) => view.getInt16(at, little) },
  u2: { bytes: 2, read: (view, at, little) => view.getUint16(at, little) },
  i4: { bytes: 4, read: (view, at, little) => view.getInt32(at, little) },
  u4: { bytes: 4, read: (view, at, little) => view.getUint32(at, little) },
  i8: { bytes: 8, read: (view, at, little) => Number(view.getBigInt64(at, little)) },
  u8: { bytes: 8, read: (view, at, little) => Number(view.getBigUint64(at, little)) },
};

/** The base64 of a `.npy` file (NumPy format 1 to 3) of n × d numbers, as n lists; throws 422 naming `field`. */
export const readNpy = (field: string, base64: string): number[][] => {
  const refuse = (msg: string): never => {
    throw invalid(field, `${msg}; send lists of numbers, or the base64 of one n × d .npy of floats or integers`);
  };
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.byteLength < 12 || bytes.toString('latin1', 0, 6) !== MAGIC) return refuse('not a .npy file');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const long = bytes[6]! >= 2;
  const start = long ? 12 : 10;
  const length = long ? view.getUint32(8, true) : view.getUint16(8, true);
  if (start + length > bytes.byteLength) return refuse('the .npy file ends in its header');
  const header = bytes.toString('latin1', start, start + length);
  const type = /'descr'\s*:\s*'([<>=|]?)(\w+)'/.exec(header);
  const shape = /'shape'\s*:\s*\(\s*(\d+)\s*,\s*(\d+)\s*,?\s*\)/.exec(header);
  const reader = readers[type?.[2] ?? ''];
  if (!reader) return refuse(`numbers of type ${type?.[2] ?? 'unknown'}`);
  if (!shape) return refuse('not a table of two dimensions');
  const [n, d] = [Number(shape[1]), Number(shape[2])];
  const data = start + length;
  if (n < 1 || d < 1 || bytes.byteLength !== data + n * d * reader.bytes)
    return refuse(`${n} × ${d} numbers of ${reader.bytes} bytes do not fill ${bytes.byteLength - data} bytes`);
  const columnsFirst = /'fortran_order'\s*:\s*True/.test(header);
  const little = type![1] !== '>';
  return Array.from({ length: n }, (_, row) =>
    Array.from({ length: d }, (__, column) =>
      reader.read(view, data + (columnsFirst ? column * n + row : row * d + column) * reader.bytes, little),
    ),
  );
};
