/** A piece of text on a page, in points or pixels from the upper left. `size`: of its letters. */
export type Piece = { text: string; left: number; top: number; right: number; bottom: number; size: number };

/** Pieces that stand beside each other on one line, left to right. */
export type Line = { pieces: Piece[] } & Piece;

export const union = (pieces: readonly Piece[]): Omit<Piece, 'text' | 'size'> => ({
  left: Math.min(...pieces.map(({ left }) => left)),
  top: Math.min(...pieces.map(({ top }) => top)),
  right: Math.max(...pieces.map(({ right }) => right)),
  bottom: Math.max(...pieces.map(({ bottom }) => bottom)),
});

/** The middle value; 0 of none. */
export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Puts pieces of one line together; those of one word have no gap. */
export function lineOf(pieces: readonly Piece[]): Line {
  const sorted = pieces.toSorted((a, b) => a.left - b.left);
  let text = '';
  let end = sorted[0]?.left ?? 0;
  for (const piece of sorted) {
    const gap = piece.left - end > 0.15 * piece.size;
    text += gap && text !== '' && !/\s$/.test(text) && !/^\s/.test(piece.text) ? ` ${piece.text}` : piece.text;
    end = Math.max(end, piece.right);
  }
  return { ...union(sorted), text: text.trim(), size: median(sorted.map(({ size }) => size)), pieces: sorted };
}
