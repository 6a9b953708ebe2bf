/** Footers and page headers are six levels deep. */
const deepest = 32;

/** A value of Thrift's compact protocol. */
export type Thrift = number | bigint | boolean | Uint8Array | Thrift[] | ThriftStruct;

/** Its structs, by field id. */
export type ThriftStruct = { [field: number]: Thrift };

/** A struct at the beginning of some bytes, and how many of them it takes. Throws `RangeError` where they are none, or end early. */
export function readStruct(bytes: Buffer): { fields: ThriftStruct; length: number } {
  let at = 0;
  const byte = (): number => {
    if (at >= bytes.length) throw new RangeError('struct ends early');
    return bytes[at++]!;
  };
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const next = byte();
      value |= BigInt(next & 0x7f) << shift;
      if (next < 0x80) return value;
    }
    throw new RangeError('number is too long');
  };
  const integer = (): number => {
    const value = varint();
    return Number((value >> 1n) ^ -(value & 1n));
  };
  const take = (length: number): Uint8Array => {
    if (length < 0 || at + length > bytes.length) throw new RangeError('struct ends early');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const value = (type: number, depth: number, inList: boolean): Thrift => {
    if (depth > deepest) throw new RangeError('nested too deep');
    if (type === 1 || type === 2) return inList ? byte() === 1 : type === 1;
    if (type === 3) return byte();
    if (type === 4 || type === 5 || type === 6) return integer();
    if (type === 7) return Buffer.from(take(8)).readDoubleLE();
    if (type === 8) return take(Number(varint()));
    if (type === 9 || type === 10) {
      const head = byte();
      const count = head >> 4 === 15 ? Number(varint()) : head >> 4;
      if (count > bytes.length - at) throw new RangeError('list is longer than what holds it');
      return Array.from({ length: count }, () => value(head & 15, depth + 1, true));
    }
    if (type === 12) return struct(depth + 1);
    throw new RangeError(`unknown type ${type}`);
  };
  const struct = (depth: number): ThriftStruct => {
    const fields: ThriftStruct = {};
    for (let field = 0; ;) {
      const head = byte();
      if (head === 0) return fields;
      field = head >> 4 === 0 ? integer() : field + (head >> 4);
      fields[field] = value(head & 15, depth, false);
    }
  };
  return { fields: struct(0), length: at };
}
