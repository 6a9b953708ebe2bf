import { plain } from '../../text/controls.ts';
import { table } from './table.ts';
import { number } from '../../text/units.ts';

/** The first rows of a sweep's results as a table; says how many more there are. */
export const renderResults = (columns: readonly string[], rows: readonly Record<string, unknown>[], total: number): string =>
  table([columns, ...rows.map((row) => columns.map((name) => shown(row[name])))]) +
  (total > rows.length ? `${number(rows.length)} of ${number(total)}; more with --limit N, all with --json or --csv\n` : '');

const shown = (value: unknown): string =>
  value === null || value === undefined ? '' : plain(typeof value === 'string' ? value : JSON.stringify(value));
