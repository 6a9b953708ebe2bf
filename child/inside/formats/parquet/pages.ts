import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { BadInput } from '../../../../errors/classes.ts';
import type { ColumnChunk } from './footer.ts';
import { readStruct, type ThriftStruct } from './thrift.ts';

/** Fields of the format's `PageHeader` by their ids. */
const pageHeader = { bytes: 3, checksum: 4 } as const;

/** Most headers are short; one with long minima and maxima is read again. */
const headerBytes = [512, 64 * 1024, 1024 * 1024];

async function headerAt(handle: FileHandle, at: number): Promise<{ fields: ThriftStruct; length: number } | undefined> {
  for (const size of headerBytes) {
    const bytes = Buffer.alloc(size);
    const { bytesRead } = await handle.read(bytes, 0, size, at);
    try {
      return readStruct(bytes.subarray(0, bytesRead));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return undefined;
}

/** What a walk over the pages of a column finds: how many have a checksum, how many have none, and whether they fill its place. */
export type Pages = { checked: number; unchecked: number; areWhole: boolean };

/** Holds the pages of a column against their checksums, where they have any: the engine does not, and would hand out other values. */
export async function checkPages(handle: FileHandle, { name, start, bytes }: ColumnChunk): Promise<Pages> {
  const found: Pages = { checked: 0, unchecked: 0, areWhole: false };
  if (start < 0) return found;
  let at = start;
  while (at < start + bytes) {
    const header = await headerAt(handle, at);
    const size = Number(header?.fields[pageHeader.bytes] ?? -1);
    if (!header || size < 0 || at + header.length + size > start + bytes) return found;
    const checksum = header.fields[pageHeader.checksum];
    if (checksum === undefined) found.unchecked += 1;
    else {
      const page = Buffer.alloc(size);
      const { bytesRead } = await handle.read(page, 0, size, at + header.length);
      if (bytesRead < size || crc32(page) !== Number(checksum) >>> 0)
        throw new BadInput('bad_input', `is damaged Parquet: a page of column '${name}' does not have the checksum that it says`);
      found.checked += 1;
    }
    at += header.length + size;
  }
  return { ...found, areWhole: true };
}
