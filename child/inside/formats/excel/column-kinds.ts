import { counted } from '../../../../text/units.ts';
import type { TextHint } from '../../../preview.ts';
import type { CellKind, CellValue } from './cell-value.ts';

/** How many cells of a column are of each kind, and the first of them. */
export type ColumnKinds = Map<CellKind, { count: number; first: string; text: string }>;

/** Types, and the kinds of cells that they hold without loss; the first that holds all cells of a column is its type. */
const types: readonly { type: string; kinds: readonly CellKind[] }[] = [
  { type: 'BIGINT', kinds: ['integer'] },
  { type: 'DOUBLE', kinds: ['integer', 'decimal'] },
  { type: 'DATE', kinds: ['date'] },
  { type: 'TIMESTAMP', kinds: ['date', 'timestamp'] },
  { type: 'BOOLEAN', kinds: ['boolean'] },
];

const words: Record<CellKind, string> = {
  integer: 'number',
  decimal: 'number',
  date: 'date',
  timestamp: 'date',
  boolean: 'truth value',
  text: 'text',
};

/** Counts a cell; `address` is asked for where it is the first of its kind. */
export function countKind(kinds: ColumnKinds, { kind, text }: CellValue, address: () => string): void {
  const seen = kinds.get(kind);
  if (seen) seen.count += 1;
  else kinds.set(kind, { count: 1, first: address(), text });
}

/** The type of a column in DuckDB's words: text where its cells are of kinds that no other type holds, or there are none. */
export const typeOfKinds = (kinds: ColumnKinds): string =>
  (kinds.size === 0 ? undefined : types.find((each) => [...kinds.keys()].every((kind) => each.kinds.includes(kind))))?.type ?? 'VARCHAR';

const longestShown = 20;

/** What a column of several kinds holds, and what to write where its texts stand for no value; undefined where all cells are of one. */
export function mixtureOf(column: string, kinds: ColumnKinds): TextHint | undefined {
  if (typeOfKinds(kinds) !== 'VARCHAR' || kinds.size < 2) return undefined;
  const sums = new Map<string, number>();
  for (const [kind, { count }] of kinds) sums.set(words[kind], (sums.get(words[kind]) ?? 0) + count);
  const held = [...sums].map(([word, count]) => counted(count, word)).join(' and ');
  const text = kinds.get('text');
  const remedy =
    text === undefined || text.text.length > longestShown
      ? ''
      : `; where ${JSON.stringify(text.text)} (${text.first}) stands for no value, say excel: { nulls: [${JSON.stringify(text.text)}] }`;
  return { column, message: `holds ${held}: they are read as text${remedy}` };
}
