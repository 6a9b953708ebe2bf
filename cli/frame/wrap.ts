import { cells, lettersOf } from '../../text/cells.ts';

/** A word in pieces of at most `width` cells. */
function piecesOf(word: string, width: number): string[] {
  if (cells(word) <= width) return [word];
  const pieces: string[] = [];
  let left = 0;
  for (const letter of lettersOf(word)) {
    const taken = cells(letter);
    if (pieces.length === 0 || taken > left) {
      pieces.push(letter);
      left = width - taken;
    } else {
      pieces[pieces.length - 1] += letter;
      left -= taken;
    }
  }
  return pieces;
}

/** Lines of at most `width` cells, broken between words; a longer word is cut into pieces of a letter at least. Infinity: one line, as it is. */
export function wrap(text: string, width: number): string[] {
  if (width === Number.POSITIVE_INFINITY) return [text];
  const lines: string[] = [];
  let line = '';
  let taken = 0;
  for (const word of text.split(' ').flatMap((each) => (each.match(/.+/gu) ?? ['']).flatMap((part) => piecesOf(part, width)))) {
    const wide = cells(word);
    if (line !== '' && taken + 1 + wide > width) {
      lines.push(line);
      [line, taken] = [word, wide];
    } else [line, taken] = line === '' ? [word, wide] : [`${line} ${word}`, taken + 1 + wide];
  }
  return [...lines, line];
}
