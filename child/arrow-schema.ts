import type { FileHandle } from 'node:fs/promises';
import { BadInput } from './tables.ts';

/** Longest schema or footer that is looked at, in bytes. */
const longest = 64 * 1024 * 1024;
/** Footer length and `ARROW1` at the end of a file. */
const tail = 10;

const refuse = (message: string): never => {
  throw new BadInput('bad_input', message);
};

async function bytes(handle: FileHandle, start: number, length: number, what: string): Promise<DataView> {
  if (start < 0 || length <= 0 || length > longest) refuse(`is not Arrow IPC: its ${what} has no sensible length`);
  const view = new DataView(new ArrayBuffer(length));
  const { bytesRead } = await handle.read(view, 0, length, start);
  return bytesRead === length ? view : refuse(`is not Arrow IPC: its ${what} is cut off`);
}

/** Offset of a field of a flatbuffer table, undefined where the field is absent. */
function field(view: DataView, table: number, index: number): number | undefined {
  const vtable = table - view.getInt32(table, true);
  const slot = 4 + index * 2;
  const offset = slot < view.getUint16(vtable, true) ? view.getUint16(vtable + slot, true) : 0;
  return offset === 0 ? undefined : table + offset;
}

/** The schema stands in the footer of a file and in the first message of a stream; each is a table whose field leads to it. */
async function schemaTable(
  handle: FileHandle,
  type: 'arrow-file' | 'arrow-stream',
): Promise<{ view: DataView; reference: number | undefined }> {
  if (type === 'arrow-file') {
    const { size } = await handle.stat();
    const length = (await bytes(handle, size - tail, tail, 'footer')).getInt32(0, true);
    const view = await bytes(handle, size - tail - length, length, 'footer');
    return { view, reference: field(view, view.getUint32(0, true), 1) };
  }
  const prefix = await bytes(handle, 0, 8, 'first message');
  // Before Arrow 0.15 a message began with its length, without the mark.
  const marked = prefix.getUint32(0, true) === 0xffffffff;
  const view = await bytes(handle, marked ? 8 : 4, prefix.getInt32(marked ? 4 : 0, true), 'first message');
  return { view, reference: field(view, view.getUint32(0, true), 2) };
}

/**
 * Refuses a file whose schema says big-endian: the reader would take its numbers for little-endian ones and
 * answer wrong rows.
 */
export async function refuseBigEndian(handle: FileHandle, type: 'arrow-file' | 'arrow-stream'): Promise<void> {
  const { view, reference } = await schemaTable(handle, type);
  if (reference === undefined) return refuse('is not Arrow IPC: it has no schema');
  const endianness = field(view, reference + view.getUint32(reference, true), 0);
  if (endianness !== undefined && view.getInt16(endianness, true) === 1)
    refuse('is big-endian Arrow, which is not supported; write it on a little-endian machine');
}
