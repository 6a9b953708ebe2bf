import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodedTexts } from '../store/parquet-page.ts';

/** File beside a shard with its ids, in order. */
export const idsFileOf = (shard: string): string => shard.replace(/\.arrow$/, '.ids');

/**
 * Writes ids as the ledger takes them: their number, then each one behind its length in bytes, all 32 bits little-endian.
 * Behind the number stands what a Parquet column of texts is.
 */
export async function writeIds(path: string, ids: readonly string[]): Promise<void> {
  const sizes = ids.map((id) => Buffer.byteLength(id));
  const bytes = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + 4 + size, 4));
  let at = bytes.writeUInt32LE(ids.length, 0);
  ids.forEach((id, each) => {
    at = bytes.writeUInt32LE(sizes[each]!, at);
    at += bytes.write(id, at);
  });
  await writeFile(path, bytes);
}

export async function readIds(path: string): Promise<EncodedTexts> {
  const bytes = await readFile(path);
  return { count: bytes.readUInt32LE(0), encoded: bytes.subarray(4) };
}

/** Ids of one file: what the ledger takes at once. */
const idsPerFile = 50_000;

/** Writes ids into `00000.ids` … of a folder, at most 50,000 each; `close` returns their names. */
export function createIdsFiles(folder: string) {
  const names: string[] = [];
  let pending: string[] = [];
  const flush = async (): Promise<void> => {
    const name = `${String(names.length).padStart(5, '0')}.ids`;
    await writeIds(join(folder, name), pending.slice(0, idsPerFile));
    pending = pending.slice(idsPerFile);
    names.push(name);
  };
  return {
    async add(ids: readonly string[]): Promise<void> {
      for (const id of ids) pending.push(id);
      while (pending.length >= idsPerFile) await flush();
    },
    async close(): Promise<string[]> {
      if (pending.length > 0) await flush();
      return names;
    },
  };
}

/** The first of some ids, at most so many. */
export function firstTexts({ count, encoded }: EncodedTexts, most: number): string[] {
  let at = 0;
  return Array.from({ length: Math.min(count, most) }, () => {
    const from = at + 4;
    at = from + encoded.readUInt32LE(at);
    return encoded.toString('utf8', from, at);
  });
}
