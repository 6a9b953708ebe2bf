import { padEnd, padStart, visibleLength } from './paint.ts';

export type Align = 'left' | 'right';

/** Rows in columns as wide as their widest cell, two spaces apart; the last left-aligned column is not padded. */
export const table = (rows: readonly (readonly string[])[], aligns: readonly Align[] = [], indent = ''): string => {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) => Math.max(0, ...rows.map((row) => visibleLength(row[column] ?? ''))));
  return rows
    .map((row) => {
      const cells = widths.map((width, column) => (aligns[column] === 'right' ? padStart : padEnd)(row[column] ?? '', width));
      return `${indent}${cells.join('  ')}`.trimEnd() + '\n';
    })
    .join('');
};
