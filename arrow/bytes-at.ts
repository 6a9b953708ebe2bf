import { DataType, type Data } from 'apache-arrow';

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);

/** The bytes of a row of texts or binary values, however their type lays them out. */
export function bytesAt(data: Data): (row: number) => Buffer {
  const { type } = data;
  const values = asBuffer(data.values as Uint8Array);
  if (DataType.isFixedSizeBinary(type)) return (row) => values.subarray(row * type.byteWidth, (row + 1) * type.byteWidth);
  if (!DataType.isUtf8View(type) && !DataType.isBinaryView(type)) {
    const offsets = data.valueOffsets as ArrayLike<number | bigint>;
    return (row) => values.subarray(Number(offsets[row]), Number(offsets[row + 1]));
  }
  const buffers = data.variadicBuffers.map(asBuffer);
  // At most 12 bytes stand in the view itself; longer values are a buffer and an offset.
  return (row) => {
    const length = values.readInt32LE(row * 16);
    if (length <= 12) return values.subarray(row * 16 + 4, row * 16 + 4 + length);
    const from = values.readInt32LE(row * 16 + 12);
    return buffers[values.readInt32LE(row * 16 + 8)]!.subarray(from, from + length);
  };
}

/** The text of a row of texts. */
export function textAt(data: Data): (row: number) => string {
  if (DataType.isUtf8View(data.type)) {
    const bytes = bytesAt(data);
    return (row) => bytes(row).toString('utf8');
  }
  const values = asBuffer(data.values as Uint8Array);
  const offsets = data.valueOffsets as ArrayLike<number | bigint>;
  return (row) => values.toString('utf8', Number(offsets[row]), Number(offsets[row + 1]));
}
