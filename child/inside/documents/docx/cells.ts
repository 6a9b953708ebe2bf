import { documentLimits } from '../../../document-limits.ts';
import { flat, tableText } from '../block.ts';
import type { DocxBlock } from './paragraph.ts';

/** Columns that one cell may say that it covers. */
const mostSpan = 100;

/** Collects a table while it is read, cell by cell. */
export type Cells = {
  row(): void;
  /** Columns of the row before its first cell. */
  before(columns: number): void;
  cell(): void;
  span(columns: number): void;
  /** The cell goes on from the one above it, which has its text. */
  continued(): void;
  /** The row was taken away, and the document remembers it. */
  dropRow(): void;
  write(block: DocxBlock): void;
  endRow(): void;
  /** The table; what has one row or one column, which is layout, or more cells than a table may have, as what stands in it. */
  end(): DocxBlock[];
};

const textOf = (blocks: readonly DocxBlock[]): string =>
  flat(blocks.map(({ content, cells }) => (cells ? cells.flat().join(' ') : content)).join(' '));

const within = (columns: number): number => Math.min(mostSpan, Math.max(1, columns));

export function createCells(): Cells {
  const rows: string[][] = [];
  const written: DocxBlock[] = [];
  let row: string[] = [];
  let blocks: DocxBlock[] | undefined;
  let columns = 1;
  let isContinued = false;
  let isDropped = false;
  let kept = 0;
  let count = 0;
  const endCell = (): void => {
    if (!blocks) return;
    count += columns;
    if (isContinued) blocks = [];
    if (count <= documentLimits.cells) row.push(textOf(blocks), ...Array<string>(columns - 1).fill(''));
    written.push(...blocks);
    blocks = undefined;
    columns = 1;
    isContinued = false;
  };
  return {
    row() {
      row = [];
      isDropped = false;
      kept = written.length;
    },
    before(empty) {
      row.push(...Array<string>(within(empty)).fill(''));
    },
    cell() {
      endCell();
      blocks = [];
    },
    span(covered) {
      columns = within(covered);
    },
    continued() {
      isContinued = true;
    },
    dropRow() {
      isDropped = true;
    },
    write(block) {
      blocks?.push(block);
    },
    endRow() {
      endCell();
      if (isDropped) written.length = kept;
      else if (row.length > 0) rows.push(row);
    },
    end() {
      const width = Math.max(0, ...rows.slice(0, documentLimits.cells).map(({ length }) => length));
      if (rows.length < 2 || width < 2 || count > documentLimits.cells) return written;
      const cells = rows.map((each) => [...each, ...Array<string>(width - each.length).fill('')]);
      return [{ type: 'Table', cells, content: tableText(cells) }];
    },
  };
}
