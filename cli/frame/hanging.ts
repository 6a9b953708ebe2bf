import { cells } from '../../text/cells.ts';
import { wrap } from './wrap.ts';

/** Narrower than this, a column would hold a word a line. */
const narrowest = 24;

/** Where the text of a line continues: below its last column that leaves room, else below its first word. */
function indentOf(line: string, columns: number): number {
  const starts = [...line.matchAll(/\S {2,}(?=\S)/g)].map(({ index, 0: gap }) => index + gap.length);
  return starts.findLast((start) => columns - cells(line.slice(0, start)) >= narrowest) ?? /^ */.exec(line)![0].length;
}

const colours = /\x1b\[[0-9;]*m/g;

/**
 * Text whose lines are rows of columns, at most `columns` wide: what is too long for a line goes on below its own column. Commands
 * are left whole, to be copied. Of a line that is broken only the first word keeps its colour.
 */
export const hanging = (text: string, columns: number): string =>
  text
    .split('\n')
    .flatMap((painted) => {
      const line = painted.replaceAll(colours, '');
      if (cells(line) <= columns || /^ +(npx )?portolan /.test(line)) return [painted];
      const start = indentOf(line, columns);
      const indent = cells(line.slice(0, start));
      const [first, ...more] = wrap(line.slice(start).replaceAll(/ {2,}/g, '  '), columns - indent);
      const head = line.slice(0, start).replace(/^\S+/, /^\S*/.exec(painted)![0]);
      return [head + first!, ...more.map((part) => `${' '.repeat(indent)}${part}`)];
    })
    .join('\n');
