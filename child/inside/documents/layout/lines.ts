import { lineOf, type Line, type Piece } from './piece.ts';

/** A gap of so many letter heights parts two pieces of a line: a column, or a cell. */
const apart = 1.4;

const sameLine = (a: Piece, b: Piece): boolean => {
  const overlap = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return overlap > 0.5 * Math.min(a.bottom - a.top, b.bottom - b.top);
};

/**
 * Pieces as stretches of text without a wide gap, from the top of the page to its end. Pieces come in the order of the file, in which
 * those of a line mostly follow each other.
 */
export function stretchesOf(pieces: readonly Piece[]): Line[] {
  const shown = pieces.filter(({ text }) => text.trim() !== '').toSorted((a, b) => a.top + a.bottom - (b.top + b.bottom));
  const rows: { top: number; bottom: number; pieces: Piece[] }[] = [];
  for (const piece of shown) {
    const row = rows.at(-1);
    if (row && sameLine({ ...piece, top: row.top, bottom: row.bottom }, piece)) row.pieces.push(piece);
    else rows.push({ top: piece.top, bottom: piece.bottom, pieces: [piece] });
  }
  return rows.flatMap((row) => {
    const stretches: Piece[][] = [];
    let end = -Infinity;
    for (const piece of row.pieces.toSorted((a, b) => a.left - b.left)) {
      if (piece.left - end > apart * piece.size || stretches.length === 0) stretches.push([]);
      stretches.at(-1)!.push(piece);
      end = Math.max(end, piece.right);
    }
    return stretches.map(lineOf);
  });
}

/** Stretches by the row in which they stand beside each other. */
export function rowsOf(stretches: readonly Line[]): Line[][] {
  const rows: Line[][] = [];
  for (const stretch of stretches.toSorted((a, b) => a.top + a.bottom - (b.top + b.bottom))) {
    const row = rows.at(-1);
    if (row?.[0] && sameLine(row[0], stretch)) row.push(stretch);
    else rows.push([stretch]);
  }
  return rows.map((row) => row.toSorted((a, b) => a.left - b.left));
}
