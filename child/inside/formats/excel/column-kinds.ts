import { BadInput } from '../../../../errors/classes.ts';
import { counted } from '../../../../text/units.ts';
import type { TextHint } from '../../../preview.ts';
import type { CellKind, CellValue } from './cell-value.ts';

/** How many cells, and the first of them. */
type Seen = { count: number; first: string; text: string };

/** The cells of a column by their kinds; and its numbers of more digits than a spreadsheet program keeps. */
export type ColumnKinds = { kinds: Map<CellKind, Seen>; long: Map<'all' | 'cut', Seen> };

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

export const noKinds = (): ColumnKinds => ({ kinds: new Map(), long: new Map() });

function count<K>(all: Map<K, Seen>, key: K, text: string, address: () => string): void {
  const seen = all.get(key);
  if (seen) seen.count += 1;
  else all.set(key, { count: 1, first: address(), text });
}

/** Counts a cell; `address` is asked for where it is the first of its kind. */
export function countKind({ kinds, long }: ColumnKinds, { kind, text, digits }: CellValue, address: () => string): void {
  count(kinds, kind, text, address);
  if (digits) count(long, digits, text, address);
}

/** The type of a column in DuckDB's words: text where its cells are of kinds that no other type holds, or there are none. */
export const typeOfKinds = ({ kinds }: ColumnKinds): string =>
  (kinds.size === 0 ? undefined : types.find((each) => [...kinds.keys()].every((kind) => each.kinds.includes(kind))))?.type ?? 'VARCHAR';

const longestShown = 20;

/**
 * A column of texts and numbers whose long numbers all end in zeros: that of ids whose last digits were lost when they were typed.
 * Fails with `BadInput`.
 */
export function refuseCutIds({ kinds, long }: ColumnKinds): void {
  const cut = long.get('cut');
  if (cut && !long.has('all') && kinds.has('text'))
    throw new BadInput(
      'bad_input',
      `${cut.first} holds the number ${cut.text} in a column of texts: of a typed number a spreadsheet program keeps 15 digits, the last ones may be lost; make it a text ('${cut.text}) with all its digits; where the texts stand for no value, name them under excel: { nulls }`,
    );
}

/** Long whole numbers alone that all end in zeros: as ids they may be several of one number. */
export function cutDigitsOf(column: string, { kinds, long }: ColumnKinds): TextHint | undefined {
  const cut = long.get('cut');
  if (!cut) return undefined;
  const numbers = (kinds.get('integer')?.count ?? 0) + (kinds.get('decimal')?.count ?? 0);
  if (cut.count < numbers) return undefined;
  return {
    column,
    message: `holds ${counted(cut.count, 'number')} of more than 15 digits, all of which end in zeros (${cut.first}): a spreadsheet program keeps no more of a typed number; ids belong in cells of text`,
  };
}

/** What a column of several kinds holds, and what to write where its texts stand for no value; undefined where all cells are of one. */
export function mixtureOf(column: string, held: ColumnKinds): TextHint | undefined {
  const { kinds } = held;
  if (typeOfKinds(held) !== 'VARCHAR' || kinds.size < 2) return undefined;
  const sums = new Map<string, number>();
  for (const [kind, { count }] of kinds) sums.set(words[kind], (sums.get(words[kind]) ?? 0) + count);
  const parts = [...sums].map(([word, count]) => counted(count, word)).join(' and ');
  const text = kinds.get('text');
  const remedy =
    text === undefined || text.text.length > longestShown
      ? ''
      : `; where ${JSON.stringify(text.text)} (${text.first}) stands for no value, say excel: { nulls: [${JSON.stringify(text.text)}] }`;
  return { column, message: `holds ${parts}: they are read as text${remedy}` };
}
