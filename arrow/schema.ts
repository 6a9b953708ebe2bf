import { DataType, MetadataVersion, type Field } from 'apache-arrow';
import { readBytes, type ArrowBytes } from './bytes.ts';
import { entries, field, rootOf, tableAt } from './flatbuffer.ts';
import { checkMessages } from './messages.ts';
import { damaged, refuseArrow } from './verdict.ts';

export type ArrowType = 'arrow-file' | 'arrow-stream';

/** What stands at both ends of a file. */
const magic = 'ARROW1';

/** Footer length and magic at the end of a file. */
const tail = 4 + magic.length;

/** The flatbuffer that holds the schema, and the index of its field there: the footer of a file, the first message of a stream. */
function schemaHolder(bytes: ArrowBytes, type: ArrowType): { view: DataView; index: number } {
  if (type === 'arrow-file') {
    const end = readBytes(bytes, bytes.size - tail, tail, 'footer');
    if (Buffer.from(end.buffer, end.byteOffset + 4, magic.length).toString('latin1') !== magic)
      damaged(`it does not end in ${magic}: it is cut off, or something stands behind its end`);
    const length = end.getInt32(0, true);
    return { view: readBytes(bytes, bytes.size - tail - length, length, 'footer'), index: 1 };
  }
  const prefix = readBytes(bytes, 0, 8, 'first message');
  // Before Arrow 0.15 a message began with its length, without the mark.
  const marked = prefix.getUint32(0, true) === 0xffffffff;
  return { view: readBytes(bytes, marked ? 8 : 4, prefix.getInt32(marked ? 4 : 0, true), 'first message'), index: 2 };
}

/** More fields than any table has; a few bytes can name the same field millions of times. */
const mostFields = 100_000;
const deepestField = 64;

/** Walks the schema before the reader does, which believes every length in it. */
function checkFields(view: DataView, schema: number): void {
  let left = mostFields;
  const tables = (table: number, index: number): number[] =>
    entries(view, table, index, 4).map((place) => place + view.getUint32(place, true));
  const walk = (fields: number[], depth: number): void => {
    left -= fields.length;
    for (const each of fields) {
      left -= tables(each, 6).length;
      if (left < 0 || depth > deepestField)
        refuseArrow(`has a schema of more than ${mostFields} fields or ${deepestField} levels, which is not supported`);
      walk(tables(each, 5), depth + 1);
    }
  };
  tables(schema, 2);
  walk(tables(schema, 1), 0);
}

/** What a walk over a file finds: `rows` of all its record batches. */
export type ArrowFacts = { bigEndian: boolean; version: number; rows: number };

/**
 * Walks all metadata of a file or stream before the library does, and reports what the library takes for granted about it:
 * it reads all numbers as little-endian and all unions as they are since Arrow 1.0. Fails with `BadInput`.
 */
export function walkArrow(bytes: ArrowBytes, type: ArrowType): ArrowFacts {
  try {
    const { view, index } = schemaHolder(bytes, type);
    const root = rootOf(view);
    const schema = tableAt(view, root, index);
    if (schema === undefined) return refuseArrow('is not Arrow IPC: it has no schema');
    checkFields(view, schema);
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
