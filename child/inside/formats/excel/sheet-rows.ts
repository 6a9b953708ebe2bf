import { BadInput } from '../../../../errors/classes.ts';
import { addressOf, parseAddress, sheetLimits } from './address.ts';
import { isItemText } from './item-text.ts';
import { namespaces } from '../office/namespaces.ts';
import type { Package } from '../office/package.ts';
import { attributeOf, readXml } from '../office/xml.ts';

/** A cell as the sheet has it, before it means anything. */
export type RawCell = {
  column: number;
  row: number;
  /** ST_CellType: n, s, str, inlineStr, b, e or d. */
  type: string;
  style: number;
  /** Its value is that of a formula: its own, or one of another cell that fills it. */
  isFormula: boolean;
  /** The text of its value; of a formula nobody has calculated, and of a cell that is only formatted, undefined. */
  value: string | undefined;
};

/** A row with its cells that hold something. */
export type RawRow = { row: number; cells: RawCell[] };

/** Texts of one row beyond this are held at once. */
const mostRowLength = 16 * 1024 * 1024;

const damaged = (reason: string): BadInput => new BadInput('bad_input', `is a damaged workbook: ${reason}`);

/** Rows and cells may leave out where they stand: then they follow the one before. Those that come back would be read twice. */
function createPlaces(): { row(said: string | undefined): number; cell(said: string | undefined): number } {
  let row = 0;
  let column = -1;
  let taken = new Set<number>();
  return {
    row(said) {
      const next = said === undefined ? row + 1 : Number(said);
      if (!Number.isInteger(next) || next <= row || next > sheetLimits.rows)
        throw damaged(
          `row ${said ?? next} stands behind row ${row}; a sheet has rows 1 to ${sheetLimits.rows.toLocaleString('en-US')} in order`,
        );
      [row, column, taken] = [next, -1, new Set()];
      return row;
    },
    cell(said) {
      const place = said === undefined ? { column: column + 1, row } : parseAddress(said);
      if (!place || place.row !== row || place.column >= sheetLimits.columns)
        throw damaged(`row ${row} has a cell ${JSON.stringify((said ?? 'behind XFD').slice(0, 20))}, which it cannot have`);
      column = place.column;
      if (taken.has(column)) throw damaged(`the cell ${addressOf(column, row)} is there twice`);
      taken.add(column);
      return column;
    },
  };
}

type Place = { column: number; row: number };

/** Cells that the formula of another one fills (`ref`): they stand to the right of it and below, without a formula of their own. */
function createArrays(): { add(from: Place, ref: string | undefined): void; holds(cell: Place): boolean } {
  const lastRows = new Uint32Array(sheetLimits.columns);
  return {
    add(from, ref) {
      const last = parseAddress(ref?.split(':').at(-1) ?? '') ?? from;
      for (let column = from.column; column <= last.column; column += 1) lastRows[column] = Math.max(lastRows[column]!, last.row);
    },
    holds: ({ column, row }) => row <= lastRows[column]!,
  };
}

/** The rows of a sheet that hold anything, as they stand, some at a time. Fails with `BadInput` where a cell has no place or stands twice. */
export async function* sheetRows(parts: Package, part: string): AsyncGenerator<RawRow[]> {
  const places = createPlaces();
  let done: RawRow[] = [];
  let row: RawRow = { row: 0, cells: [] };
  let cell: RawCell | undefined;
  let takesText = false;
  let isItem = false;
  let length = 0;
  const arrays = createArrays();
  const reading = readXml(parts, part, namespaces.sheets, {
    open(name, tag, parent) {
      if (takesText) throw damaged(`the text of ${addressOf(cell!.column, cell!.row)} holds <${tag.name}>`);
      if (parent === 'c' && name === 'f') {
        cell!.isFormula = true;
        arrays.add(cell!, attributeOf(tag, 'ref'));
      } else if (parent === 'c' && (name === 'v' || name === 'is')) {
        if (cell!.value !== undefined) throw damaged(`${addressOf(cell!.column, cell!.row)} holds two values`);
        if ((name === 'is') !== (cell!.type === 'inlineStr'))
          throw damaged(
            `${addressOf(cell!.column, cell!.row)} holds a ${name === 'is' ? 'text' : 'value'} and has the type ${JSON.stringify(cell!.type.slice(0, 20))}`,
          );
        cell!.value = '';
        takesText = name === 'v';
        isItem = name === 'is';
      } else if (isItem && isItemText(name, parent)) takesText = true;
      else if (name === 'c' && parent === 'row')
        cell = {
          column: places.cell(attributeOf(tag, 'r')),
          row: row.row,
          type: attributeOf(tag, 't') ?? 'n',
          style: Number(attributeOf(tag, 's') ?? 0),
          isFormula: false,
          value: undefined,
        };
      else if (name === 'row' && parent === 'sheetData') {
        row = { row: places.row(attributeOf(tag, 'r')), cells: [] };
        length = 0;
      } else if (parent === '' && name !== 'worksheet') throw damaged(`${part} is <${tag.name}> and no sheet`);
    },
    text(found) {
      if (!takesText) return;
      length += found.length;
      if (length > mostRowLength) throw new BadInput('too_large', `row ${row.row} holds more than ${mostRowLength} characters`);
      cell!.value += found;
    },
    close(name, parent) {
      takesText = false;
      if (name === 'is' && parent === 'c') isItem = false;
      else if (name === 'c' && parent === 'row') {
        cell!.isFormula ||= cell!.value !== undefined && arrays.holds(cell!);
        if (cell!.value !== undefined || cell!.isFormula) row.cells.push(cell!);
        cell = undefined;
      } else if (name === 'row' && parent === 'sheetData' && row.cells.length > 0) done.push(row);
    },
  });
  for await (const _ of reading) {
    if (done.length === 0) continue;
    yield done;
    done = [];
  }
  if (done.length > 0) yield done;
}
