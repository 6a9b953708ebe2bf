import { DataType, tableFromIPC, type Field } from 'apache-arrow';
import type { ColumnType, DataColumn } from './data-column.ts';

/** Own vectors, and hashes of blobs; every other name that begins so is the service's. */
const vectorField = '_embeddings';
const blobField = '_blob_hash';

/** Columns of a dataset from its schema message (base64 of one Arrow IPC message), id and internal columns left out. */
export function schemaColumns(base64: string, idField: string): DataColumn[] {
  const { fields } = tableFromIPC(Buffer.from(base64, 'base64')).schema;
  return fields.flatMap((field): DataColumn[] => {
    const { name, type } = field;
    if (name === vectorField && DataType.isFixedSizeList(type)) return [{ name, type: 'vector', width: type.listSize }];
    return name === idField || (name.startsWith('_') && name !== blobField) ? [] : [{ name, type: columnType(field) }];
  });
}

function columnType(field: Field): ColumnType {
  const type = String(field.type);
  if (/^u?int/i.test(type)) return 'int32';
  if (/^float/i.test(type)) return 'float32';
  if (/^(timestamp|date)/i.test(type)) return 'timestamp';
  return 'string';
}
