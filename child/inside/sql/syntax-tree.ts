import type { Engine } from '../engine.ts';
import { literal } from '../../../text/sql.ts';

/** A node of a statement as DuckDB serializes it. */
export type Tree = { [key: string]: unknown };

export const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Nothing written: null, false, an empty text, or only such parts. */
export const isBlank = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  value === false ||
  (Array.isArray(value) ? value.every(isBlank) : isTree(value) && Object.values(value).every(isBlank));

/** The statements of a text, or the parser's message and the byte that it means. Only SELECT statements are serialized. */
export async function parseStatements(engine: Engine, sql: string): Promise<{ statements: Tree[] } | { message: string; at: number }> {
  const [row] = await engine.rows(`select json_serialize_sql(${literal(sql)})::varchar as tree`);
  const parsed = JSON.parse(String(row!['tree'])) as Tree;
  if (!parsed['error']) return { statements: Array.isArray(parsed['statements']) ? (parsed['statements'] as Tree[]) : [] };
  const position = Number(parsed['position'] ?? 0);
  return { message: textOf(parsed['error_message']).split('\n')[0]!, at: Number.isSafeInteger(position) ? position : 0 };
}
