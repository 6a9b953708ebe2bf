import { relative } from 'node:path';
import { isQuery, isRemote, oneLine, pathOf, tablesOf } from './source-name.ts';
import type { FileSpec, SourceSpec } from './source-spec.ts';

/**
 * Where the rows of a source come from: what a watermark is kept by. How its files are read is no part of it, a query is. A path is
 * relative to a folder, so that a project that was moved with its run store keeps its watermarks.
 */
export function placeOfSource(source: SourceSpec, folder: string): string {
  const placed = tablesOf(source).map(([table, file]) => (isQuery(source) ? `${table}: ${placeOf(file, folder)}` : placeOf(file, folder)));
  return isQuery(source) ? `sql: ${oneLine(source.sql)} [${placed.join(', ')}]` : placed.join();
}

function placeOf(file: FileSpec, folder: string): string {
  const path = isRemote(file) ? pathOf(file) : relative(folder, pathOf(file));
  if (typeof file === 'string') return path;
  if ('postgres' in file) return `${path}: ${oneLine(file.query)}`;
  const storage = 's3' in file && file.storage !== undefined ? ` (storage: ${file.storage})` : '';
  // The sheets of a workbook are tables of their own.
  return `${path}${storage}${file.excel?.sheet === undefined ? '' : ` (sheet: ${file.excel.sheet})`}`;
}
