import type { Preview } from '../../child/preview.ts';
import { fit, padEnd, padStart, type Paint } from './paint.ts';
import { cells } from '../../text/cells.ts';
import { plain } from '../../text/controls.ts';
import { counted, number } from '../../text/units.ts';
import { wrap } from '../frame/wrap.ts';

const gap = '  ';

/** How wide each column of the sample is: as wide as it needs, the widest cut first until all fit; fewer columns where even that is too much. */
function sampleWidths(needs: readonly { least: number; whole: number }[], width: number): number[] {
  const total = (all: readonly number[]): number => all.reduce((sum, each) => sum + each + gap.length, 0);
  const chosen: { least: number; whole: number }[] = [];
  for (const need of needs) {
    if (total([...chosen, need].map(({ least }) => least)) > width) break;
    chosen.push(need);
  }
  const widths = chosen.map(({ whole }) => whole);
  while (total(widths) > width) {
    const spare = widths.map((each, at) => (each > chosen[at]!.least ? each : 0));
    const widest = Math.max(...spare);
    if (widest === 0) break;
    widths[spare.lastIndexOf(widest)]! -= 1;
  }
  return widths;
}

const isNumber = (type: string): boolean => /^U?[A-Z]*INT(EGER)?$|^(FLOAT|DOUBLE|BIGNUM)$|^DECIMAL\(\d+,\d+\)$/.test(type);

/** The first rows as a table that fits the terminal. */
export function sampleLines({ columns, rows, sample }: Preview, { columns: width, paint }: { columns: number; paint: Paint }): string[] {
  if (sample.length === 0) return [];
  const texts = sample.map((row) => row.map((value) => (value === null ? '∅' : plain(value))));
  const needs = columns.map(({ name, type }, at) => {
    const value = Math.max(...texts.map((row) => cells(row[at]!)));
    const whole = Math.min(32, Math.max(cells(plain(name)), value));
    // A number that is cut is another number.
    return { whole, least: Math.min(whole, isNumber(type) ? Math.max(4, Math.min(value, 20)) : 10) };
  });
  const widths = sampleWidths(needs, width);
  const line = (row: string[], change: (text: string) => string = (text) => text): string =>
    (
      gap +
      widths
        .map((each, at) => {
          const text = fit(row[at]!, each);
          const padded = isNumber(columns[at]!.type) ? padStart(text, each) : padEnd(text, each);
          return text === '∅' ? paint.dim(padded) : change(padded);
        })
        .join(gap)
    ).trimEnd();
  const left = columns.length - widths.length;
  return [
    '',
    ...wrap(
      `${sample.length === rows ? 'all' : 'first'} ${counted(sample.length, 'row')}${left > 0 ? `, ${number(widths.length)} of ${number(columns.length)} columns (--json has all)` : ''}${sample.some((row) => row.slice(0, widths.length).includes(null)) ? '; ∅ is null' : ''}`,
      width,
    ),
    line(
      columns.map(({ name }) => plain(name)),
      paint.dim,
    ),
    ...texts.map((row) => line(row)),
  ];
}
