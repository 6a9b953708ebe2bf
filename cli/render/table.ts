import { padEnd, padStart } from './paint.ts';
import { cells } from '../../text/cells.ts';

export type Align = 'left' | 'right';

/** Rows in columns as wide as their widest cell, two spaces apart; the last left-aligned column is not padded. */
export const table = (rows: readonly (readonly string[])[], aligns: readonly Align[] = [], indent = ''): string => {
  // Not by one call with all rows as its arguments: a stack has room for some 100,000.
  const widths: number[] = [];
  for (const row of rows) for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cells(cell));
  return rows
    .map((row) => {
      const padded = widths.map((width, column) => (aligns[column] === 'right' ? padStart : padEnd)(row[column] ?? '', width));
      return `${indent}${padded.join('  ')}`.trimEnd() + '\n';
    })
    .join('');
};
