import { cells, withinCells } from '../../text/cells.ts';

export type Paint = Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', (text: string) => string>;

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const;

/** Colours, or nothing at all where colour is off. */
export const createPaint = (color: boolean): Paint =>
  Object.fromEntries(
    Object.entries(codes).map(([name, [on, off]]) => [name, (text: string) => (color && text ? `\x1b[${on}m${text}\x1b[${off}m` : text)]),
  ) as Paint;

// Sequences that move the cursor, colour, or set titles: nothing that came from a service may reach the terminal as such.
const escapes = /\x1b\[[0-9;]*m/g;

export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - cells(text)));

export const padStart = (text: string, width: number): string => ' '.repeat(Math.max(0, width - cells(text))) + text;

/** A word that would lose its end is left out where that costs no more. */
const longestWord = 24;

/** Where a line is cut that has room for so many cells: behind a word, where one ends near. */
function cutOf(line: string, room: number): number {
  const { length } = withinCells(line, room);
  if (line[length] === ' ') return length;
  const behind = line.slice(0, length).lastIndexOf(' ') + 1;
  return length - behind <= longestWord && behind > length / 2 ? behind : length;
}

/** Cuts a line at a visible width, between words where it can; colours stay whole. */
export const fit = (text: string, width: number): string => {
  if (cells(text) <= width) return text;
  let left = width < 1 ? -1 : cutOf(text.replace(escapes, ''), width - 1);
  let out = '';
  for (const part of text.split(/(\x1b\[[0-9;]*m)/)) {
    if (part.startsWith('\x1b[')) out += part;
    else {
      out += part.slice(0, Math.max(0, left));
      if (left >= 0 && part.length > left) out += '…';
      left -= part.length;
      if (left < 0) left = -1;
    }
  }
  return out;
};
