/** What a sheet of a workbook may have. */
export const sheetLimits = { rows: 1_048_576, columns: 16_384 } as const;

const letterA = 65;

/** The letters of a column; the first one is 0. */
export function columnLetters(column: number): string {
  const rest = Math.floor(column / 26);
  return (rest === 0 ? '' : columnLetters(rest - 1)) + String.fromCharCode(letterA + (column % 26));
}

/** Column (from 0) and row (from 1) of a reference such as `AB12`; undefined where a sheet has no such cell. */
export function parseAddress(text: string): { column: number; row: number } | undefined {
  let at = 0;
  let column = 0;
  for (; at < text.length && at < 4; at += 1) {
    const letter = text.charCodeAt(at) - letterA;
    if (letter < 0 || letter > 25) break;
    column = column * 26 + letter + 1;
  }
  const digits = text.slice(at);
  if (at === 0 || column > sheetLimits.columns || !/^[1-9][0-9]{0,6}$/.test(digits)) return undefined;
  const row = Number(digits);
  return row > sheetLimits.rows ? undefined : { column: column - 1, row };
}

/** A cell as a person finds it: `C7`. */
export const addressOf = (column: number, row: number): string => `${columnLetters(column)}${row}`;
