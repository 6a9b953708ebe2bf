import { rowsOf, stretchesOf } from '../layout/lines.ts';
import { lineOf, type Piece } from '../layout/piece.ts';

/** Words of a picture as lines of text. */
export const textOfWords = (words: readonly Piece[]): string =>
  rowsOf(stretchesOf(words))
    .map((row) => lineOf(row).text)
    .join('\n');
