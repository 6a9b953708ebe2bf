import { open } from 'node:fs/promises';
import { DuckDBDataChunk, VARCHAR } from '@duckdb/node-api';
import { DataType, Precision, RecordBatchReader, TimeUnit, type Field, type RecordBatch, type Schema, type Vector } from 'apache-arrow';
import { longestId } from '../../contracts/maps/unique-id.ts';
import { characters } from '../../text/characters.ts';
import { fileBytes } from '../../arrow/bytes.ts';
import { checkBatch } from '../../arrow/check.ts';
import { textsIn } from '../../arrow/texts.ts';
import { isQuery } from '../../pipelines/source-name.ts';
import { registerCodecs } from '../../arrow/codecs.ts';
import { walkArrow } from '../../arrow/schema.ts';
import { drop } from './collect-garbage.ts';
import { nameRefusal } from './rows/columns.ts';
import { filePrint } from './file-print.ts';
import { openEngine } from './engine.ts';
import { fileHead } from './formats/file-head.ts';
import { fileType } from './formats/file-type.ts';
import type { ChildContext } from '../protocol.ts';
import { findDuplicates, type CutRows } from './rows/shard.ts';
import { BadInput } from '../../errors/classes.ts';
import type { ArrowFileRequest, FilePrint } from '../tables.ts';
import type { ColumnType, DataColumn } from '../data-column.ts';

/** What is known of a source that is sent as it is, or why it is converted. */
export type AsItIs = (Pick<CutRows, 'rows' | 'duplicates' | 'drift'> & { print: FilePrint; columns: string[] }) | { converted: string };

const chunkRows = 2_048;

/**
 * May the source go to the service as it stands? Only an Arrow IPC file whose every row would also be sent by `append`,
 * with the same values: what would be cast, rejected or left out is converted instead. Ids of the rows go to `take`.
 */
export async function asItIs(
  request: ArrowFileRequest,
  context: ChildContext,
  take: (ids: readonly string[]) => Promise<void>,
): Promise<AsItIs> {
  const { source, id, idField, columns } = request;
  if (typeof source !== 'string') return { converted: isQuery(source) ? 'it is a query' : 'it is read as the pipeline says' };
  // A glob is no file; what is wrong with a file is found when it is converted.
  const type = await fileHead(source).then(
    ({ head }) => fileType(head, source),
    () => undefined,
  );
  if (type !== 'arrow-file') return { converted: 'it is no Arrow file' };
  if (columns) return { converted: 'columns are chosen' };
  if (!('column' in id) || id.column !== idField) return { converted: `its ids are not taken from a column ${idField}` };
  registerCodecs();
  const print = await filePrint(source);
  await using file = await open(source, 'r');
  try {
    if (walkArrow(fileBytes(file.fd), 'arrow-file').bigEndian) return { converted: 'it is big-endian' };
    const reader = await RecordBatchReader.from(file);
    await reader.open();
    const refusal = refusalOf(reader.schema, request);
    if (refusal !== undefined) return { converted: refusal };
    const added = beyondSchema(reader.schema, request);
    const read = await readRows(reader, idField, context, take);
    if ('converted' in read) return read;
    return { print, ...read, ...(added.length > 0 ? { drift: { added, gone: [] } } : {}) };
  } catch (error) {
    if (error instanceof BadInput) throw error;
    return { converted: `it cannot be read as it is: ${(error as Error).message}` };
  }
}

/** Columns that the dataset does not have. */
const beyondSchema = ({ fields }: Schema, { idField, schema }: ArrowFileRequest): string[] =>
  fields.flatMap(({ name }) => (!schema || name === idField || schema.some((column) => column.name === name) ? [] : [name]));

function refusalOf(all: Schema, request: ArrowFileRequest): string | undefined {
  const { fields, metadata } = all;
  const { idField, schema, empty, drift } = request;
  const [added] = beyondSchema(all, request);
  if (drift === 'fail' && added !== undefined) return `the dataset has no column ${added}`;
  if (!empty && metadata.get('on_id_conflict_ignore') !== 'true') return 'it does not say on_id_conflict_ignore, and the dataset has rows';
  const taken = new Set<string>();
  for (const { name, type } of fields) {
    const refused = name === idField ? undefined : nameRefusal(name, taken);
    taken.add(name.toLowerCase());
    if (refused) return `column ${name}: ${refused}`;
    if (!typeOf({ name, type })) return `column ${name} is ${String(type)}`;
  }
  const ids = fields.find(({ name }) => name === idField);
  if (!ids || typeOf(ids) !== 'string') return `it has no text column ${idField}`;
  const fits = ({ name, type, width }: DataColumn): boolean =>
    fields.some(
      (field) =>
        field.name === name &&
        typeOf(field) === type &&
        (!DataType.isFixedSizeList(field.type) || field.type.listSize === (width ?? field.type.listSize)),
    );
  const other = schema?.find((column) => column.name !== idField && !fits(column));
  return other && `the dataset has a column ${other.name} of ${other.type}`;
}

/** Type of the dataset's column, where every value fits it as it is. */
function typeOf({ name, type }: Pick<Field, 'name' | 'type'>): ColumnType | 'vector' | undefined {
  if (name === '_embeddings') return DataType.isFixedSizeList(type) && isShortFloat(type.children[0]!.type) ? 'vector' : undefined;
  if (DataType.isDictionary(type)) return DataType.isUtf8(type.dictionary) ? 'string' : undefined;
  if (DataType.isInt(type)) return type.bitWidth < 32 || (type.bitWidth === 32 && type.isSigned) ? 'int32' : undefined;
  if (isShortFloat(type)) return 'float32';
  if (DataType.isTimestamp(type)) return type.unit === TimeUnit.MILLISECOND ? 'timestamp' : undefined;
  return DataType.isUtf8(type) || DataType.isLargeUtf8(type) ? 'string' : undefined;
}

const isShortFloat = (type: DataType): boolean => DataType.isFloat(type) && type.precision !== Precision.DOUBLE;

async function readRows(
  batches: AsyncIterable<RecordBatch>,
  idField: string,
  context: ChildContext,
  take: (ids: readonly string[]) => Promise<void>,
): Promise<{ rows: number; columns: string[]; duplicates: CutRows['duplicates'] } | { converted: string }> {
  await using engine = await openEngine(context);
  await engine.run('create table own.mapped (key varchar)');
  const appender = await engine.connection.createAppender('mapped', 'own');
  const columns: string[] = [];
  let rows = 0;
  for await (const batch of batches) {
    checkBatch(batch);
    columns.splice(0, columns.length, ...batch.schema.fields.map(({ name }) => name));
    for (const [at, field] of batch.schema.fields.entries()) {
      const odd = oddFloat(field, batch.getChildAt(at)!);
      if (odd) return { converted: `column ${field.name} holds ${odd}` };
    }
    const found = textsIn(batch.getChild(idField)!)!;
    const bad = found.findIndex((id) => !id || (id.length > longestId && characters(id) > longestId));
    if (bad >= 0) return { converted: `row ${rows + bad + 1} has ${found[bad] ? `an id of more than ${longestId} characters` : 'no id'}` };
    for (let from = 0; from < found.length; from += chunkRows) {
      const part = found.slice(from, from + chunkRows) as string[];
      const chunk = DuckDBDataChunk.create([VARCHAR], part.length);
      chunk.setColumnValues(0, part);
      appender.appendDataChunk(chunk);
    }
    await take(found as string[]);
    rows += found.length;
    drop(batch.data.byteLength);
    context.progress(rows);
  }
  appender.closeSync();
  if (rows === 0) throw new BadInput('bad_input', 'the Arrow file has no rows');
  return { rows, columns, duplicates: await findDuplicates({ engine }) };
}

/** NaN and infinity are rejected row by row, and a vector must be there and whole. */
function oddFloat({ name, type }: Field, vector: Vector): string | undefined {
  if (name === '_embeddings') {
    const children = vector.getChildAt(0)!;
    return vector.nullCount > 0 || children.nullCount > 0 ? 'a row without a vector' : oddNumber(children);
  }
  return DataType.isFloat(type) ? oddNumber(vector) : undefined;
}

function oddNumber(vector: Vector): string | undefined {
  for (const value of vector as Iterable<number | null>) if (value !== null && !Number.isFinite(value)) return String(value);
  return undefined;
}
