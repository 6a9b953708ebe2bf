import { DataType, MetadataVersion, type Field } from 'apache-arrow';
import { readBytes, type ArrowBytes } from './bytes.ts';
import { describeFields } from './fields.ts';
import { field, rootOf, tableAt } from './flatbuffer.ts';
import { checkMessages, kinds } from './messages.ts';
import { damaged, refuseArrow } from './verdict.ts';

export type ArrowType = 'arrow-file' | 'arrow-stream';

/** What stands at both ends of a file. */
const magic = 'ARROW1';

/** What a message begins with. */
const mark = 0xffffffff;

/** Where the messages of a file begin: its magic is filled up to eight bytes. */
const streamStart = 8;

/** Footer length and magic at the end of a file. */
const tail = 4 + magic.length;

/** A flatbuffer that holds a schema, and the index of its field there. */
type SchemaHolder = { view: DataView; index: number };

/** The first message of a stream that begins at a place. */
function firstMessage(bytes: ArrowBytes, at: number): SchemaHolder {
  const prefix = readBytes(bytes, at, 8, 'first message');
  // Before Arrow 0.15 a message began with its length, without the mark.
  const marked = prefix.getUint32(0, true) === mark;
  return { view: readBytes(bytes, at + (marked ? 8 : 4), prefix.getInt32(marked ? 4 : 0, true), 'first message'), index: 2 };
}

/** The footer of a file, the first message of a stream. */
function schemaHolder(bytes: ArrowBytes, type: ArrowType): SchemaHolder {
  if (type === 'arrow-file') {
    const end = readBytes(bytes, bytes.size - tail, tail, 'footer');
    if (Buffer.from(end.buffer, end.byteOffset + 4, magic.length).toString('latin1') !== magic)
      damaged(`it does not end in ${magic}: it is cut off, or something stands behind its end`);
    const length = end.getInt32(0, true);
    return { view: readBytes(bytes, bytes.size - tail - length, length, 'footer'), index: 1 };
  }
  return firstMessage(bytes, 0);
}

const schemaIn = ({ view, index }: SchemaHolder): number =>
  tableAt(view, rootOf(view), index) ?? refuseArrow('is not Arrow IPC: it has no schema');

/**
 * Most files say their schema twice, at their beginning and in the footer: nothing else shows that a byte of a type has
 * changed. Those of some writers (Polars, Arrow's own for JavaScript) begin with something else.
 */
function checkFirstSchema(bytes: ArrowBytes, described: unknown): void {
  if (readBytes(bytes, streamStart, 4, 'first message').getUint32(0, true) !== mark) return;
  const first = firstMessage(bytes, streamStart);
  const kind = field(first.view, rootOf(first.view), 1);
  if (kind === undefined || first.view.getUint8(kind) !== kinds.schema) return;
  if (JSON.stringify(describeFields(first.view, schemaIn(first))) !== JSON.stringify(described))
    damaged('its footer has another schema than its beginning');
}

/** What a walk over a file finds: `rows` of all its record batches. */
export type ArrowFacts = { bigEndian: boolean; version: number; rows: number };

/**
 * Walks all metadata of a file or stream before the library does, and reports what the library takes for granted about it:
 * it reads all numbers as little-endian and all unions as they are since Arrow 1.0. Fails with `BadInput`.
 */
export function walkArrow(bytes: ArrowBytes, type: ArrowType): ArrowFacts {
  try {
    const holder = schemaHolder(bytes, type);
    const { view } = holder;
    const root = rootOf(view);
    const schema = schemaIn(holder);
    const described = describeFields(view, schema);
    if (type === 'arrow-file') checkFirstSchema(bytes, described);
    const rows = checkMessages(bytes, type === 'arrow-file' ? view : undefined);
    const endianness = field(view, schema, 0);
    const version = field(view, root, 0);
    return {
      bigEndian: endianness !== undefined && view.getInt16(endianness, true) === 1,
      version: version === undefined ? 0 : view.getInt16(version, true),
      rows,
    };
  } catch (error) {
    // A place beyond the bytes that hold it.
    if (error instanceof RangeError) return damaged('its metadata leads out of itself');
    throw error;
  }
}

/** Refuses a big-endian file, where only little-endian ones are taken. */
export function refuseBigEndian({ bigEndian }: ArrowFacts): void {
  if (bigEndian) refuseArrow('is big-endian Arrow, which is not supported; write it on a little-endian machine');
}

/** Since metadata version 5 (index 4) unions have no marks of nulls. */
const newUnions: number = MetadataVersion.V5;

/** Refuses unions of the format's versions before 5 (Arrow 1.0): they had marks of nulls, which the reader takes for something else. */
export function refuseOldUnions(fields: Field[], version: number): void {
  if (version >= newUnions) return;
  for (const { type } of fields) {
    const held: DataType = DataType.isDictionary(type) ? type.dictionary : type;
    if (DataType.isUnion(held))
      refuseArrow('uses unions of Arrow before 1.0, which are not supported; write the file again with a later version');
    refuseOldUnions(held.children ?? [], version);
  }
}
