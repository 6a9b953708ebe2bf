import { open } from 'node:fs/promises';
import { childLimits } from '../../../limits.ts';
import { BadInput } from '../../../../errors/classes.ts';

/** Footer length and `PAR1` at the end of a file. */
const tail = 8;
const longest = childLimits.schemaMiB * 1024 * 1024;
/** The footer of the format is six levels deep. */
const deepest = 32;

/** A value of Thrift's compact protocol: structs by field id. */
type Thrift = number | bigint | boolean | Uint8Array | Thrift[] | { [field: number]: Thrift };

function readStruct(bytes: Buffer): { [field: number]: Thrift } {
  let at = 0;
  const byte = (): number => {
    if (at >= bytes.length) throw new RangeError('footer ends early');
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
    if (length < 0 || at + length > bytes.length) throw new RangeError('footer ends early');
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
      if (count > bytes.length - at) throw new RangeError('list is longer than the footer');
      return Array.from({ length: count }, () => value(head & 15, depth + 1, true));
    }
    if (type === 12) return struct(depth + 1);
    throw new RangeError(`unknown type ${type}`);
  };
  const struct = (depth: number): { [field: number]: Thrift } => {
    const fields: { [field: number]: Thrift } = {};
    for (let field = 0; ;) {
      const head = byte();
      if (head === 0) return fields;
      field = head >> 4 === 0 ? integer() : field + (head >> 4);
      fields[field] = value(head & 15, depth, false);
    }
  };
  return struct(0);
}

/** Fields of the format's `FileMetaData` and `RowGroup` by their ids. */
const fileMeta = { rowGroups: 4, encryption: 8 } as const;
const rowGroup = { bytes: 2 } as const;

async function readFooter(file: string): Promise<{ [field: number]: Thrift } | undefined> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const end = Buffer.alloc(tail);
    await handle.read(end, 0, tail, Math.max(0, size - tail));
    const length = end.readUInt32LE(0);
    if (end.toString('latin1', 4) !== 'PAR1' || length > longest || length + tail > size) return undefined;
    const footer = Buffer.alloc(length);
    await handle.read(footer, 0, length, size - tail - length);
    return readStruct(footer);
  } catch (error) {
    // A footer that cannot be read is the engine's to judge: it says more about it.
    if (error instanceof RangeError) return undefined;
    throw error;
  } finally {
    await handle.close();
  }
}

/** Refuses, before anything of it is decoded, a Parquet file with encrypted columns and one that decodes to more than a table may take. */
export async function checkParquet(file: string): Promise<void> {
  const footer = await readFooter(file);
  if (!footer) return;
  if (footer[fileMeta.encryption] !== undefined)
    throw new BadInput('bad_input', 'is encrypted Parquet, which is not supported; decrypt it first');
  const groups = footer[fileMeta.rowGroups];
  const sizes = Array.isArray(groups) ? groups.map((group) => Number((group as { [field: number]: Thrift })[rowGroup.bytes] ?? 0)) : [];
  const bytes = sizes.reduce((sum, size) => sum + Math.max(0, size), 0);
  if (bytes > childLimits.decodedGiB * 1024 ** 3)
    throw new BadInput('too_large', `decodes to ${(bytes / 1024 ** 3).toFixed(1)} GiB; a table may take ${childLimits.decodedGiB} GiB`);
}
