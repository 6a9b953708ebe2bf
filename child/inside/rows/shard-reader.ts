import { readFile } from 'node:fs/promises';
import { DataType, tableFromIPC, type Table, type Vector } from 'apache-arrow';
import { textsIn } from '../../../arrow/texts.ts';
import type { Methods } from '../../protocol.ts';
import { encodeShard, type ShardValue } from './shard-writer.ts';
import type { ShardRows } from '../../tables.ts';
import type { DataColumn } from '../../data-column.ts';

const typeOf = (type: DataType): DataColumn['type'] => {
  if (DataType.isInt(type)) return 'int32';
  if (DataType.isFloat(type)) return 'float32';
  return DataType.isTimestamp(type) ? 'timestamp' : 'string';
};

async function open(file: string): Promise<{ table: Table; columns: DataColumn[]; values: ShardValue[][] }> {
  const table = tableFromIPC(await readFile(file));
  const columns = table.schema.fields.map(({ name, type }): DataColumn =>
    DataType.isFixedSizeList(type) ? { name, type: 'vector', width: type.listSize } : { name, type: typeOf(type) },
  );
  const values = columns.map(({ type }, at) => {
    const vector = table.getChildAt(at);
    if (type === 'vector') return Array.from({ length: table.numRows }, (_, row) => (vector!.get(row) as Vector).toArray() as Float32Array);
    if (type === 'string') return textsIn(vector!)!;
    return Array.from({ length: table.numRows }, (__, row) => (vector?.get(row) ?? null) as ShardValue);
  });
  return { table, columns, values };
}

/** The rows of a shard; its first column is the id. */
export async function readShard({ file }: Methods['readShard']['input']): Promise<ShardRows> {
  const { table, columns, values } = await open(file);
  const rows = Array.from({ length: table.numRows }, (_, row) =>
    Object.fromEntries(
      columns.flatMap(({ name, type }, at) => (type === 'vector' ? [] : [[name, values[at]![row] as string | number | null]])),
    ),
  );
  return { ids: (values[0] ?? []).map(String), rows };
}

/** A copy of a shard with only the rows of these ids, in the shard's order. */
export async function pickRows({ file, ids }: Methods['pickRows']['input']): Promise<Uint8Array> {
  const { table, columns, values } = await open(file);
  const wanted = new Set(ids);
  const keep = (values[0] ?? []).flatMap((id, row) => (wanted.has(String(id)) ? [row] : []));
  return encodeShard(
    columns,
    values.map((column) => keep.map((row) => column[row]!)),
    table.schema.metadata.get('project_id') ?? '',
  );
}
