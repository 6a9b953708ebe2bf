import { DataType, Type, tableFromIPC } from 'apache-arrow';
import type { Field, Table, Vector } from 'apache-arrow';
import { memoryBytes } from '../../../arrow/bytes.ts';
import { checkBatch } from '../../../arrow/check.ts';
import { limitDecoded, registerCodecs } from '../../../arrow/codecs.ts';
import { refuseBigEndian, walkArrow } from '../../../arrow/schema.ts';
import { arrowVerdict } from '../../../arrow/verdict.ts';
import { HttpError, invalid } from '../../core/errors.ts';
import type { StoredColumn } from './schema.ts';

/** Rows of one file that an upload is unpacked into. */
export const MAX_ROWS = 5_000;
const MAX_DECODED_BYTES = 256 * 1_024 * 1_024;

registerCodecs();

/** Rows as sent: their target where it is named, and columns that are decoded only as far as the dataset wants them. */
export type Shard = {
  projectId: string | undefined;
  ignoreConflicts: boolean;
  /** What the schema of the file says beside its columns. */
  metadata: ReadonlyMap<string, string>;
  rows: number;
  columns: SentColumn[];
  /** The file as sent. */
  bytes: Uint8Array;
};

/** A column as sent. One of a type that no dataset can hold has a refusal instead: a dataset that does not want it drops it. */
export type SentColumn = { name: string; vector: Vector } & ({ column: StoredColumn } | { refusal: HttpError });

const temporal = new Set([Type.Timestamp, Type.Date]);

/** Arrow type → column type, or why no dataset holds it (public docs of the maps API, table rules). */
const columnOf = ({ name, type }: Field): { column: StoredColumn } | { refusal: HttpError } => {
  const column = (of: StoredColumn['type'], dimensions: number | null = null) => ({ column: { name, type: of, dimensions } });
  const of: DataType = DataType.isDictionary(type) ? type.dictionary : type;
  if (name === '_embeddings') {
    if (DataType.isFixedSizeList(of) && DataType.isFloat(of.children[0]!.type)) return column('vector', of.listSize);
    return { refusal: invalid(name, `must be a FixedSizeList of floats, not ${String(type)}`) };
  }
  if (DataType.isInt(of)) return column('int32');
  if (DataType.isFloat(of)) return column('float32');
  if (temporal.has(of.typeId)) return column('timestamp');
  if (DataType.isUtf8(of) || DataType.isLargeUtf8(of) || DataType.isNull(of)) return column('string');
  return {
    refusal: invalid(
      name,
      `type ${String(type)} is not accepted: int32, float32, timestamp[ms] and string are; make it text before the upload`,
    ),
  };
};

/** Names of columns that a dataset is to have; 422 for one that it cannot. */
export const checkNames = (names: readonly string[], idField: string): void => {
  const seen = new Set<string>();
  for (const name of names) {
    const allowed = name === '_embeddings' || name === '_blob_hash' || (name === '_internal_id' && name === idField);
    if (name === '') throw invalid('columns', 'a column without a name; name every column');
    if (name.startsWith('_') && !allowed) throw invalid(name, 'column names must not begin with an underscore; rename the column');
    if (seen.has(name.toLowerCase())) throw invalid(name, 'two columns are equal when lower-cased; rename one');
    seen.add(name.toLowerCase());
  }
};

const MAGIC = Buffer.from('ARROW1');

/** The library believes what a file says of itself: its metadata is walked before it, its buffers are checked behind it. */
const parse = (body: Uint8Array): Table => {
  if (!MAGIC.equals(body.subarray(0, 6))) throw invalid('body', 'not an Arrow IPC file (Feather v2): the magic ARROW1 is missing');
  try {
    refuseBigEndian(walkArrow(memoryBytes(body), 'arrow-file'));
    limitDecoded(MAX_DECODED_BYTES);
    const table = tableFromIPC(body);
    table.batches.forEach(checkBatch);
    return table;
  } catch (error) {
    const { verdict, message } = arrowVerdict(error);
    if (verdict === 'too_large') throw new HttpError(413, `shard is larger than ${MAX_DECODED_BYTES} bytes when decompressed`);
    throw invalid('body', `the Arrow IPC file ${message}`);
  }
};

/** Reads the rows of an Arrow IPC file. Throws `HttpError` 413 or 422. */
export const readRows = (body: Uint8Array): Shard => {
  const table = parse(body);
  return {
    projectId: table.schema.metadata.get('project_id'),
    ignoreConflicts: table.schema.metadata.get('on_id_conflict_ignore') === 'true',
    metadata: table.schema.metadata,
    rows: table.numRows,
    columns: table.schema.fields.map((field, at) => ({ name: field.name, vector: table.getChildAt(at)!, ...columnOf(field) })),
    bytes: body,
  };
};

/** The dataset that a file names itself; 422 where it names none. */
export const projectIdOf = ({ projectId }: Pick<Shard, 'projectId'>): string => {
  if (!projectId) throw invalid('project_id', 'missing in the Arrow schema metadata: it names the dataset');
  return projectId;
};

/** Reads an upload of add/arrow, which names its dataset itself. Throws `HttpError` 413 or 422. */
export const readShard = (body: Uint8Array): Shard & { projectId: string } => {
  const shard = readRows(body);
  return { ...shard, projectId: projectIdOf(shard) };
};
