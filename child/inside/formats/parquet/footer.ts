import type { FileHandle } from 'node:fs/promises';
import { BadInput } from '../../../../errors/classes.ts';
import { childLimits } from '../../../child-limits.ts';
import { readStruct, type Thrift, type ThriftStruct } from './thrift.ts';

/** Footer length and `PAR1` at the end of a file. */
const tail = 8;
const longest = childLimits.schemaMiB * 1024 * 1024;

/** Fields of the format's structs by their ids. */
const fileMeta = { schema: 2, rows: 3, rowGroups: 4, encryption: 8 } as const;
const schemaElement = { children: 5, precision: 8, logicalType: 10 } as const;
const logicalType = { decimal: 5 } as const;
const decimalType = { precision: 2 } as const;
const rowGroup = { columns: 1, bytes: 2 } as const;
const columnChunk = { otherFile: 1, meta: 3 } as const;
const columnMeta = { path: 3, compressedBytes: 7, dataPage: 9, dictionaryPage: 11 } as const;

/** A column of a row group: its name, and where its pages stand. */
export type ColumnChunk = { name: string; start: number; bytes: number };

export type Footer = {
  isEncrypted: boolean;
  rows: number;
  decodedBytes: number;
  chunks: ColumnChunk[];
  /** Of each column, the digits that a decimal in it may have; 0 where it holds none. */
  decimalDigits: number[];
};

const structs = (value: Thrift | undefined): ThriftStruct[] => (Array.isArray(value) ? (value as ThriftStruct[]) : []);
const text = (value: Thrift): string => (value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : '');

const childrenOf = (element: ThriftStruct): number => Number(element[schemaElement.children] ?? 0);

function digitsOf(element: ThriftStruct): number {
  const logical = element[schemaElement.logicalType] as ThriftStruct | undefined;
  const decimal = logical?.[logicalType.decimal] as ThriftStruct | undefined;
  return Number(decimal?.[decimalType.precision] ?? element[schemaElement.precision] ?? 0);
}

/** The schema is a tree in a list: each element is followed by its children, the first one's are the columns. */
function decimalDigits(elements: readonly ThriftStruct[]): number[] {
  let at = 1;
  const most = (count: number): number => {
    let digits = 0;
    for (let left = count; left > 0; left -= 1) {
      const element = elements[at++];
      if (!element) throw new RangeError('the schema ends early');
      digits = Math.max(digits, digitsOf(element), most(childrenOf(element)));
    }
    return digits;
  };
  return Array.from({ length: childrenOf(elements[0] ?? {}) }, () => most(1));
}

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

/**
 * What the footer says of a file; undefined where its end is not that of a Parquet file, which is the engine's to judge. The
 * engine reads more of a damaged footer than this, and would read it unchecked: what is not understood here is refused.
 */
export async function readFooter(handle: FileHandle): Promise<Footer | undefined> {
  const { size } = await handle.stat();
  const end = Buffer.alloc(tail);
  await handle.read(end, 0, tail, Math.max(0, size - tail));
  const length = end.readUInt32LE(0);
  if (end.toString('latin1', 4) !== 'PAR1' || length + tail > size) return undefined;
  if (length > longest)
    throw new BadInput('too_large', `has a Parquet footer of ${length} bytes; a table may have one of ${childLimits.schemaMiB} MiB`);
  const bytes = Buffer.alloc(length);
  await handle.read(bytes, 0, length, size - tail - length);
  try {
    const { fields } = readStruct(bytes);
    const groups = structs(fields[fileMeta.rowGroups]);
    return {
      isEncrypted: fields[fileMeta.encryption] !== undefined,
      rows: Number(fields[fileMeta.rows] ?? 0),
      decodedBytes: groups.reduce((sum, group) => sum + Math.max(0, Number(group[rowGroup.bytes] ?? 0)), 0),
      decimalDigits: decimalDigits(structs(fields[fileMeta.schema])),
      chunks: groups.flatMap((group) => structs(group[rowGroup.columns]).flatMap(chunkOf)),
    };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new BadInput('bad_input', 'is damaged Parquet: its metadata cannot be read');
  }
}
