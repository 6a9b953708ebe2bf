import { readBytes, type ArrowBytes } from './bytes.ts';
import { entries, field, int64, rootOf, tableAt } from './flatbuffer.ts';
import { damaged } from './verdict.ts';

/** Kinds of a message's header. */
export const kinds = { schema: 1, dictionary: 2, batch: 3 } as const;

/** A record batch of more rows than this must hold at least one bit for each. */
const mostEmptyRows = 1_000_000;

/** Lengths and lists of a record batch: what it says of its body is there. Returns its rows. */
function checkBatchHeader(view: DataView, batch: number, body: number): number {
  const rows = int64(view, field(view, batch, 0));
  if (!Number.isSafeInteger(rows) || rows < 0) damaged('a record batch has no sensible number of rows');
  for (const node of entries(view, batch, 1, 16)) {
    const [length, nulls] = [int64(view, node), int64(view, node + 8)];
    if (length < 0 || nulls < 0 || nulls > length) damaged('a column has no sensible length or number of nulls');
  }
  const buffers = entries(view, batch, 2, 16);
  for (const buffer of buffers) {
    const [offset, length] = [int64(view, buffer), int64(view, buffer + 8)];
    if (offset < 0 || length < 0 || offset + length > body) damaged('a buffer lies outside of its record batch');
  }
  for (const count of entries(view, batch, 4, 8))
    if (int64(view, count) < 0 || int64(view, count) > buffers.length) damaged('a column has more buffers than there are');
  // Without a bit for each row a batch says nothing of most of them; what is compressed has a bound of its own.
  const compressed = field(view, batch, 3) !== undefined;
  if (!compressed && rows > mostEmptyRows && rows > body * 8) damaged(`a record batch claims ${rows} rows and holds ${body} bytes`);
  return rows;
}

/** One message: its kind and rows, the lengths of its head and body, and where the next one begins. */
type Message = { kind: number; rows: number; head: number; body: number; next: number };

/** The message at a place; where a stream ends, the place behind its end. */
function checkMessage(bytes: ArrowBytes, at: number): Message | { end: number } {
  const { size } = bytes;
  // A stream may end without a mark of its end.
  if (at === size) return { end: at };
  if (at + 4 > size) return damaged('a message is cut off');
  const prefix = readBytes(bytes, at, Math.min(8, size - at), 'message');
  // Before Arrow 0.15 a message began with its length, without the mark.
  const marked = prefix.getUint32(0, true) === 0xffffffff;
  if (marked && prefix.byteLength < 8) return damaged('a message is cut off');
  const length = prefix.getInt32(marked ? 4 : 0, true);
  const start = at + (marked ? 8 : 4);
  if (length === 0) return { end: start };
  const view = readBytes(bytes, start, length, 'message');
  const root = rootOf(view);
  const kindAt = field(view, root, 1);
  const kind = kindAt === undefined ? 0 : view.getUint8(kindAt);
  const body = int64(view, field(view, root, 3));
  const next = start + length + body;
  if (body < 0 || next > size) return damaged('a message is cut off');
  entries(view, root, 4, 4);
  const header = tableAt(view, root, 2);
  const batch = header !== undefined && kind === kinds.dictionary ? tableAt(view, header, 1) : header;
  const holdsBatch = batch !== undefined && (kind === kinds.dictionary || kind === kinds.batch);
  return { kind, rows: holdsBatch ? checkBatchHeader(view, batch, body) : 0, head: start - at + length, body, next };
}

function checkStream(bytes: ArrowBytes): number {
  let rows = 0;
  for (let at = 0; ;) {
    const message = checkMessage(bytes, at);
    if ('end' in message) return message.end === bytes.size ? rows : damaged('bytes stand behind its end; one file is one stream');
    const wanted = at === 0 ? message.kind === kinds.schema : message.kind === kinds.dictionary || message.kind === kinds.batch;
    if (!wanted) damaged('its messages are not in their order');
    if (message.kind === kinds.batch) rows += message.rows;
    at = message.next;
  }
}

/** Between two messages stands no more than what fills a place up, behind the last one the mark of the end too. */
const mostBetween = 64 + 8;

/** Each entry of a footer leads to a message of its kind and lengths, no body is used twice, and no other messages stand there. */
function checkFile(bytes: ArrowBytes, footer: DataView): number {
  let left = bytes.size;
  let rows = 0;
  const places: { from: number; to: number }[] = [];
  for (const [index, kind] of [
    [2, kinds.dictionary],
    [3, kinds.batch],
  ] as const)
    for (const block of entries(footer, rootOf(footer), index, 24)) {
      const from = int64(footer, block);
      const message = checkMessage(bytes, from);
      if ('end' in message || message.kind !== kind) return damaged('its footer leads astray');
      if (footer.getInt32(block + 8, true) !== message.head || int64(footer, block + 16) !== message.body)
        return damaged('its footer gives a message another length than the message has');
      left -= message.body;
      if (left < 0) return damaged('its footer leads to the same bytes again and again');
      places.push({ from, to: message.next });
      if (kind === kinds.batch) rows += message.rows;
    }
  places.sort((a, b) => a.from - b.from);
  for (const [at, { to }] of places.entries())
    if ((places[at + 1]?.from ?? bytes.size - footer.byteLength) - to > mostBetween)
      damaged('its footer leaves some of its messages out: it is two files in one, or more than its footer was lost');
  return rows;
}

/**
 * Walks the messages of a file (with its footer) or stream before the reader does, which believes every length and place in
 * them: it would make lists of thousands of millions, or go in circles. Returns the rows of all record batches.
 */
export const checkMessages = (bytes: ArrowBytes, footer: DataView | undefined): number =>
  footer ? checkFile(bytes, footer) : checkStream(bytes);
