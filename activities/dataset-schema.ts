import { tableFromIPC, type Field } from 'apache-arrow';
import type { ColumnType } from '../child/tables.ts';

/** Columns of a dataset from its schema message (base64 of one Arrow IPC message), id and internal columns left out. */
export function schemaColumns(base64: string, idField: string): { name: string; type: ColumnType }[] {
  const { fields } = tableFromIPC(Buffer.from(base64, 'base64')).schema;
  return fields
    .filter((field) => field.name !== idField && !field.name.startsWith('_'))
    .map((field) => ({ name: field.name, type: columnType(field) }));
}

function columnType(field: Field): ColumnType {
  const type = String(field.type);
  if (/^u?int/i.test(type)) return 'int32';
  if (/^float/i.test(type)) return 'float32';
  if (/^(timestamp|date)/i.test(type)) return 'timestamp';
  return 'string';
}
