import { rowsOf } from './lines.ts';
import { median, type Line } from './piece.ts';

/** Cells by row, and the stretches that they were made of. */
export type FoundTable = { cells: string[][]; lines: Line[] };

const leastRows = 3;
/** More letters than a cell has: what stands side by side are columns of text. */
const cellLetters = 40;

/** Spans of the page from left to right that cells of several rows share. */
function columnsOf(rows: readonly Line[][]): { left: number; right: number }[] {
  const columns: { left: number; right: number }[] = [];
  for (const { left, right } of rows.flat().toSorted((a, b) => a.left - b.left)) {
    const last = columns.at(-1);
    if (last && left < last.right) last.right = Math.max(last.right, right);
    else columns.push({ left, right });
  }
  return columns;
}

const columnAt = (columns: readonly { left: number; right: number }[], { left, right }: Line): number =>
  columns.findIndex((column) => left < column.right && right > column.left);

/** Rows that follow each other closely, each with several cells. */
function runsOf(rows: readonly Line[][]): Line[][][] {
  const runs: Line[][][] = [];
  let bottom = -Infinity;
  for (const row of rows) {
    const { top, size } = row[0]!;
    if (row.length > 1) {
      if (runs.length === 0 || top - bottom > 2.5 * size) runs.push([]);
      runs.at(-1)!.push(row);
      bottom = Math.max(...row.map((cell) => cell.bottom));
    } else bottom = -Infinity;
  }
  return runs.filter(({ length }) => length >= leastRows);
}

/** Is a run data? Its columns are the same in most rows, and its cells are short; columns of running text are neither. */
function tableOf(run: readonly Line[][]): FoundTable | undefined {
  const columns = columnsOf(run);
  const letters = median(run.flat().map(({ text }) => text.length));
  if (columns.length < 2 || letters > (columns.length === 2 ? cellLetters / 2 : cellLetters)) return undefined;
  const filled = run.flat().length / (run.length * columns.length);
  if (filled < 0.6) return undefined;
  const cells = run.map((row) => {
    const texts = columns.map(() => '');
    for (const cell of row) {
      const at = columnAt(columns, cell);
      texts[at] = texts[at] ? `${texts[at]} ${cell.text}` : cell.text;
    }
    return texts;
  });
  return { cells, lines: run.flat() };
}

/** Tables of a page, found by what stands in columns. */
export const tablesOf = (stretches: readonly Line[]): FoundTable[] => runsOf(rowsOf(stretches)).flatMap((run) => tableOf(run) ?? []);
