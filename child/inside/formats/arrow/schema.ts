import type { FileHandle } from 'node:fs/promises';
import { DataType, MetadataVersion, type Field } from 'apache-arrow';
import { entries, field, readBytes, refuseArrow, rootOf, tableAt } from './bytes.ts';
import { checkMessages } from './messages.ts';
import { BadInput } from '../../../../errors/classes.ts';

type ArrowType = 'arrow-file' | 'arrow-stream';

/** Footer length and `ARROW1` at the end of a file. */
const tail = 10;

/** The flatbuffer that holds the schema, and the index of its field there: the footer of a file, the first message of a stream. */
async function schemaHolder(handle: FileHandle, type: ArrowType): Promise<{ view: DataView; index: number }> {
  if (type === 'arrow-file') {
    const { size } = await handle.stat();
    const length = (await readBytes(handle, size - tail, tail, 'footer')).getInt32(0, true);
    return { view: await readBytes(handle, size - tail - length, length, 'footer'), index: 1 };
  }
  const prefix = await readBytes(handle, 0, 8, 'first message');
  // Before Arrow 0.15 a message began with its length, without the mark.
  const marked = prefix.getUint32(0, true) === 0xffffffff;
  return { view: await readBytes(handle, marked ? 8 : 4, prefix.getInt32(marked ? 4 : 0, true), 'first message'), index: 2 };
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

/**
 * Walks a file's metadata, and answers what the reader takes for granted about it: it reads all numbers as
 * little-endian and all unions as they are since Arrow 1.0.
 */
export async function schemaFacts(handle: FileHandle, type: ArrowType): Promise<{ bigEndian: boolean; version: number }> {
  const { view, index } = await schemaHolder(handle, type);
  const root = rootOf(view);
  const schema = tableAt(view, root, index);
  if (schema === undefined) return refuseArrow('is not Arrow IPC: it has no schema');
  checkFields(view, schema);
  await checkMessages(handle, type === 'arrow-file' ? view : undefined);
  const endianness = field(view, schema, 0);
  const version = field(view, root, 0);
  return {
    bigEndian: endianness !== undefined && view.getInt16(endianness, true) === 1,
    version: version === undefined ? 0 : view.getInt16(version, true),
  };
}

/** Refuses a big-endian file, where only little-endian ones are taken. */
export async function refuseBigEndian(handle: FileHandle, type: ArrowType): Promise<void> {
  const { bigEndian } = await schemaFacts(handle, type);
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

/** Types that the reader does not know, by what it says of them. */
const unknownType = /Unrecognized type: "?(\w+)"?/;

/** A failure of the reader as a verdict: by the name of the feature where it is one. */
export function arrowVerdict(error: Error): BadInput {
  const type = unknownType.exec(error.message)?.[1];
  if (type) return new BadInput('bad_input', `uses the Arrow type ${type}, which is not supported; write the column as another type`);
  return new BadInput('bad_input', `cannot be read as Arrow IPC: ${error.message}`);
}
