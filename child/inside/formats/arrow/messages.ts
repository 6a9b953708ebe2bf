import type { FileHandle } from 'node:fs/promises';
import { damaged, entries, field, int64, readBytes, rootOf, tableAt } from './bytes.ts';

/** Kinds of a message's header. */
const kinds = { schema: 1, dictionary: 2, batch: 3 } as const;

/** Lengths and lists of a record batch: what it says of its body is there. */
function checkBatchHeader(view: DataView, batch: number, body: number): void {
  for (const node of entries(view, batch, 1, 16))
    if (int64(view, node) < 0 || int64(view, node + 8) < 0) damaged('a column has no sensible length');
  const buffers = entries(view, batch, 2, 16);
  for (const buffer of buffers) {
    const [offset, length] = [int64(view, buffer), int64(view, buffer + 8)];
    if (offset < 0 || length < 0 || offset + length > body) damaged('a buffer lies outside of its record batch');
  }
  for (const count of entries(view, batch, 4, 8))
    if (int64(view, count) < 0 || int64(view, count) > buffers.length) damaged('a column has more buffers than there are');
}

/** One message: its kind, and where the next one begins. */
async function checkMessage(
  handle: FileHandle,
  at: number,
  size: number,
): Promise<{ kind: number; body: number; next: number } | undefined> {
  // A stream may end without a mark of its end.
  if (at + 4 > size) return undefined;
  const prefix = await readBytes(handle, at, Math.min(8, size - at), 'message');
  // Before Arrow 0.15 a message began with its length, without the mark.
  const marked = prefix.getUint32(0, true) === 0xffffffff;
  if (marked && prefix.byteLength < 8) return undefined;
  const length = prefix.getInt32(marked ? 4 : 0, true);
  if (length === 0) return undefined;
  const start = at + (marked ? 8 : 4);
  const view = await readBytes(handle, start, length, 'message');
  const root = rootOf(view);
  const kindAt = field(view, root, 1);
  const kind = kindAt === undefined ? 0 : view.getUint8(kindAt);
  const body = int64(view, field(view, root, 3));
  const next = start + length + body;
  if (body < 0 || next > size) return damaged('a message is cut off');
  entries(view, root, 4, 4);
  const header = tableAt(view, root, 2);
  const batch = header !== undefined && kind === kinds.dictionary ? tableAt(view, header, 1) : header;
  if (batch !== undefined && (kind === kinds.dictionary || kind === kinds.batch)) checkBatchHeader(view, batch, body);
  return { kind, body, next };
}

async function checkStream(handle: FileHandle, size: number): Promise<void> {
  for (let at = 0; ;) {
    const message = await checkMessage(handle, at, size);
    if (!message) return;
    const wanted = at === 0 ? message.kind === kinds.schema : message.kind === kinds.dictionary || message.kind === kinds.batch;
    if (!wanted) damaged('its messages are not in their order');
    at = message.next;
  }
}

/** Each entry of a footer leads to a message of its kind, and no body is used twice. */
async function checkFile(handle: FileHandle, size: number, footer: DataView): Promise<void> {
  let left = size;
  for (const [index, kind] of [
    [2, kinds.dictionary],
    [3, kinds.batch],
  ] as const)
    for (const block of entries(footer, rootOf(footer), index, 24)) {
      const message = await checkMessage(handle, int64(footer, block), size);
      if (message?.kind !== kind) return damaged('its footer leads astray');
      left -= message.body;
      if (left < 0) return damaged('its footer leads to the same bytes again and again');
    }
}

/**
 * Walks the messages of a file (with its footer) or stream before the reader does, which believes every length
 * and place in them: it would make lists of thousands of millions, or go in circles.
 */
export async function checkMessages(handle: FileHandle, footer: DataView | undefined): Promise<void> {
  const { size } = await handle.stat();
  await (footer ? checkFile(handle, size, footer) : checkStream(handle, size));
}
