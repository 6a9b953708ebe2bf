import { BadInput } from '../../../../errors/classes.ts';
import { addressOf, columnLetters } from './address.ts';
import type { CellReader, CellValue } from './cell-value.ts';
import type { RawRow } from './sheet-rows.ts';

/** The columns of a table in a sheet. `header`: the row that names them; undefined where they are called by their letters. */
export type SheetHeader = { sheet: string; header: number | undefined; names: string[] };

/** A row of the table: its number in the sheet, and its values, each with its column there and its place in the table. */
export type TableRow = { row: number; cells: { column: number; place: number; value: CellValue }[]; length: number };

export type SheetOptions = { sheet: string; skip: number; header: boolean };

/** What is done with a table, in this order. */
export type TableHandlers = { header(header: SheetHeader): Promise<void>; row(row: TableRow): void };

type ValueRow = { row: number; cells: Omit<TableRow['cells'][number], 'place'>[]; length: number };

/** Characters of one row that are held at once; cells may name the same long text any number of times. */
const mostRowLength = 16 * 1024 * 1024;

/** Rows behind the skipped ones that hold a value, one at a time: each may be long. */
async function* valueRows(raw: AsyncIterable<RawRow[]>, { sheet, skip }: SheetOptions, read: CellReader): AsyncGenerator<ValueRow> {
  for await (const batch of raw)
    for (const { row, cells } of batch) {
      if (row <= skip) continue;
      const found: ValueRow = { row, cells: [], length: 0 };
      for (const cell of cells) {
        const value = read(cell);
        if (value === undefined) continue;
        found.cells.push({ column: cell.column, value });
        found.length += value.text.length;
        if (found.length > mostRowLength)
          throw new BadInput('too_large', `row ${row} of ${sheet} holds more than ${mostRowLength.toLocaleString('en-US')} characters`);
      }
      if (found.cells.length > 0) yield found;
    }
}

/** Columns of the sheet by their place in it, with the place in the table. */
type Places = Map<number, number>;

function headerOf({ row, cells }: ValueRow, sheet: string): { header: SheetHeader; places: Places } {
  const sorted = cells.toSorted((a, b) => a.column - b.column);
  const seen = new Map<string, number>();
  for (const { column, value } of sorted) {
    if (value.text.includes('\0'))
      throw new BadInput('bad_input', `${sheet}!${addressOf(column, row)} has a NUL character in the name of a column; write it again`);
    const key = value.text.toLowerCase();
    const before = seen.get(key);
    if (before !== undefined)
      throw new BadInput(
        'bad_input',
        `${sheet}!${addressOf(column, row)} names a column ${JSON.stringify(value.text)}, and so does ${addressOf(before, row)} (case is ignored); give one another name`,
      );
    seen.set(key, column);
  }
  return {
    header: { sheet, header: row, names: sorted.map(({ value }) => value.text) },
    places: new Map(sorted.map(({ column }, place) => [column, place])),
  };
}

async function lettersOf(rows: AsyncIterable<ValueRow>, sheet: string): Promise<{ header: SheetHeader; places: Places }> {
  const used = new Set<number>();
  for await (const { cells } of rows) for (const { column } of cells) used.add(column);
  const columns = [...used].toSorted((a, b) => a - b);
  return {
    header: { sheet, header: undefined, names: columns.map(columnLetters) },
    places: new Map(columns.map((column, place) => [column, place])),
  };
}

function tableRow({ row, cells, length }: ValueRow, { header, sheet }: SheetHeader, places: Places): TableRow {
  const placed = cells.map(({ column, value }) => {
    const place = places.get(column);
    if (place === undefined)
      throw new BadInput(
        'bad_input',
        `${sheet}!${addressOf(column, row)} holds a value, and ${addressOf(column, header!)} has no name for its column: write one, or clear the cell; where the names stand further down, say excel: { skip: ${header} }`,
      );
    return { column, place, value };
  });
  return { row, cells: placed, length };
}

/**
 * Reads the table of a sheet: the first row that is not empty names the columns, rows without a value are none. Fails with `BadInput`
 * where a name is missing or there twice, and where there are no rows.
 */
export async function readTable(
  open: () => AsyncIterable<RawRow[]>,
  options: SheetOptions,
  read: CellReader,
  handlers: TableHandlers,
): Promise<void> {
  const { sheet, skip } = options;
  let columns = options.header ? undefined : await lettersOf(valueRows(open(), options, read), sheet);
  if (columns && columns.header.names.length > 0) await handlers.header(columns.header);
  let hasRows = false;
  for await (const row of valueRows(open(), options, read)) {
    if (columns) {
      hasRows = true;
      handlers.row(tableRow(row, columns.header, columns.places));
    } else {
      columns = headerOf(row, sheet);
      await handlers.header(columns.header);
    }
  }
  if (hasRows) return;
  const behind = skip === 0 ? '' : ` behind row ${skip}`;
  throw new BadInput(
    'bad_input',
    columns === undefined || columns.header.header === undefined
      ? `the sheet ${sheet} holds nothing${behind}`
      : `the sheet ${sheet} has names in row ${columns.header.header} and no rows; where its only row is one, say so: excel: { header: false }`,
  );
}
