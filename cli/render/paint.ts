export type Paint = Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', (text: string) => string>;

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const;

/** Colours, or nothing at all where colour is off. */
export const createPaint = (color: boolean): Paint =>
  Object.fromEntries(
    Object.entries(codes).map(([name, [on, off]]) => [name, (text: string) => (color && text ? `\x1b[${on}m${text}\x1b[${off}m` : text)]),
  ) as Paint;

// Sequences that move the cursor, colour, or set titles: nothing that came from a service may reach the terminal as such.
const escapes = /\x1b\[[0-9;]*m/g;

export const visibleLength = (text: string): number => Array.from(text.replace(escapes, '')).length;

export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - visibleLength(text)));

export const padStart = (text: string, width: number): string => ' '.repeat(Math.max(0, width - visibleLength(text))) + text;

/** A word that would lose its end is left out where that costs no more. */
const longestWord = 24;

/** Where a line is cut that has room for so many characters: behind a word, where one ends near. */
function cutOf(letters: readonly string[], room: number): number {
  if (letters[room] === ' ') return room;
  const behind = letters.slice(0, room).lastIndexOf(' ') + 1;
  return room - behind <= longestWord && behind > room / 2 ? behind : room;
}

/** Cuts a line at a visible width, between words where it can; colours stay whole. */
export const fit = (text: string, width: number): string => {
  if (visibleLength(text) <= width) return text;
  let left = cutOf(Array.from(text.replace(escapes, '')), width - 1);
  let out = '';
  for (const part of text.split(/(\x1b\[[0-9;]*m)/)) {
    if (part.startsWith('\x1b[')) out += part;
    else {
      const letters = Array.from(part);
      out += letters.slice(0, Math.max(0, left)).join('');
      if (left >= 0 && letters.length > left) out += '…';
      left -= letters.length;
      if (left < 0) left = -1;
    }
  }
  return out;
};
