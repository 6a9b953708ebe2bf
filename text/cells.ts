// East Asian Width W and F of Unicode, blocks as a whole; of the other wide characters all are pictures by themselves.
const eastAsian =
  '\\u1100-\\u115f\\u2329\\u232a\\u2e80-\\u303e\\u3041-\\u3247\\u3250-\\u4dbf\\u4e00-\\ua4c6\\ua960-\\ua97c\\uac00-\\ud7a3\\uf900-\\ufad9\\ufe10-\\ufe19\\ufe30-\\ufe6b\\uff01-\\uff60\\uffe0-\\uffe6\\u{16fe0}-\\u{1b2fb}\\u{1f200}-\\u{1f265}\\u{20000}-\\u{3fffd}';

// What a selector behind it makes a picture takes two cells of some terminals.
const wide = new RegExp(`(?!\\p{RI}|\\p{M})(?:\\p{Emoji_Presentation}|[${eastAsian}]|\\p{Emoji}(?=\\ufe0f))`, 'gu');

// Marks, joiners and selectors, which stand on what is before them, as later parts of a Korean syllable do.
const none = /(?!\u00ad)[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/gu;

const colours = /\x1b\[[0-9;]*m/g;

const simple = /^[ -~]*$/;

const letters = new Intl.Segmenter();

/** A text by what a person takes for its letters, between which it can be cut: a mark stays on its letter. */
export const lettersOf = (text: string): string[] =>
  simple.test(text) ? text.split('') : Array.from(letters.segment(text), ({ segment }) => segment);

/**
 * Cells that a text takes of a line of a terminal; colours take none. Of a picture that is joined of several it is the sum: some
 * terminals draw each, and a line that is too wide is worse than one that is too narrow.
 */
export function cells(text: string): number {
  if (simple.test(text)) return text.length;
  const drawn = text.replace(colours, '');
  return Array.from(drawn).length + (drawn.match(wide)?.length ?? 0) - (drawn.match(none)?.length ?? 0);
}

/** The beginning of a text that takes so many cells at most. */
export function withinCells(text: string, room: number): string {
  let left = room;
  let length = 0;
  for (const letter of lettersOf(text)) {
    left -= cells(letter);
    if (left < 0) break;
    length += letter.length;
  }
  return text.slice(0, length);
}
