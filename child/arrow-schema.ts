import type { FileHandle } from 'node:fs/promises';
import { BadInput } from './tables.ts';

const longestSchema = 16 * 1024 * 1024;

/** Offset of a field of a flatbuffer table, undefined where the field is absent. */
function field(view: DataView, table: number, index: number): number | undefined {
  const vtable = table - view.getInt32(table, true);
  const slot = 4 + index * 2;
  const offset = slot < view.getUint16(vtable, true) ? view.getUint16(vtable + slot, true) : 0;
  return offset === 0 ? undefined : table + offset;
}

/**
 * Refuses a file whose schema says big-endian: the reader would take its numbers for little-endian ones and
 * answer wrong rows. The schema is the first message, after the magic of a file or at the start of a stream.
 */
export async function refuseBigEndian(handle: FileHandle, start: number): Promise<void> {
  const prefix = new DataView(new ArrayBuffer(8));
  await handle.read(prefix, 0, 8, start);
  const marked = prefix.getUint32(0, true) === 0xffffffff;
  const length = prefix.getInt32(marked ? 4 : 0, true);
  if (length <= 0 || length > longestSchema) throw new BadInput('bad_input', 'is not Arrow IPC: its first message has no sensible length');
  const view = new DataView(new ArrayBuffer(length));
  await handle.read(view, 0, length, start + (marked ? 8 : 4));
  const header = field(view, view.getUint32(0, true), 2);
  if (header === undefined) throw new BadInput('bad_input', 'is not Arrow IPC: its first message is empty');
  const endianness = field(view, header + view.getUint32(header, true), 0);
  if (endianness !== undefined && view.getInt16(endianness, true) === 1) throw new BadInput('bad_input', 'is big-endian Arrow, which is not supported; write it on a little-endian machine');
}
