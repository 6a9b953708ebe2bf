import type { FileHandle } from 'node:fs/promises';
import { childLimits } from '../../../limits.ts';
import { readStruct, type Thrift, type ThriftStruct } from './thrift.ts';

/** Footer length and `PAR1` at the end of a file. */
const tail = 8;
const longest = childLimits.schemaMiB * 1024 * 1024;

/** Fields of the format's structs by their ids. */
const fileMeta = { rows: 3, rowGroups: 4, encryption: 8 } as const;
const rowGroup = { columns: 1, bytes: 2 } as const;
const columnChunk = { otherFile: 1, meta: 3 } as const;
const columnMeta = { path: 3, compressedBytes: 7, dataPage: 9, dictionaryPage: 11 } as const;

/** A column of a row group: its name, and where its pages stand. */
export type ColumnChunk = { name: string; start: number; bytes: number };

export type Footer = { isEncrypted: boolean; rows: number; decodedBytes: number; chunks: ColumnChunk[] };

const structs = (value: Thrift | undefined): ThriftStruct[] => (Array.isArray(value) ? (value as ThriftStruct[]) : []);
const text = (value: Thrift): string => (value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : '');

function chunkOf(column: ThriftStruct): ColumnChunk[] {
  const meta = column[columnChunk.meta] as ThriftStruct | undefined;
  if (meta === undefined || column[columnChunk.otherFile] !== undefined) return [];
  const [data, dictionary] = [Number(meta[columnMeta.dataPage] ?? 0), Number(meta[columnMeta.dictionaryPage] ?? 0)];
  const path = meta[columnMeta.path];
  return [
    {
      name: Array.isArray(path) ? path.map(text).join('.') : '',
      start: dictionary > 0 && dictionary < data ? dictionary : data,
      bytes: Number(meta[columnMeta.compressedBytes] ?? 0),
    },
  ];
}

/** What the footer says of a file; undefined where it cannot be read, which is the engine's to judge: it says more about it. */
export async function readFooter(handle: FileHandle): Promise<Footer | undefined> {
  try {
    const { size } = await handle.stat();
    const end = Buffer.alloc(tail);
    await handle.read(end, 0, tail, Math.max(0, size - tail));
    const length = end.readUInt32LE(0);
    if (end.toString('latin1', 4) !== 'PAR1' || length > longest || length + tail > size) return undefined;
    const bytes = Buffer.alloc(length);
    await handle.read(bytes, 0, length, size - tail - length);
    const { fields } = readStruct(bytes);
    const groups = structs(fields[fileMeta.rowGroups]);
    return {
      isEncrypted: fields[fileMeta.encryption] !== undefined,
      rows: Number(fields[fileMeta.rows] ?? 0),
      decodedBytes: groups.reduce((sum, group) => sum + Math.max(0, Number(group[rowGroup.bytes] ?? 0)), 0),
      chunks: groups.flatMap((group) => structs(group[rowGroup.columns]).flatMap(chunkOf)),
    };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
