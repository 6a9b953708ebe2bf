import type { Finding } from '../../pipelines/file/findings.ts';
import { cells } from '../../text/cells.ts';
import type { Look } from './look.ts';
import { createPaint, padEnd } from './paint.ts';
import { wrap } from '../frame/wrap.ts';

const plainLook: Look = { columns: Number.POSITIVE_INFINITY, paint: createPaint(false) };

const gap = '  ';
const indent = '    ';

/** Findings of a file: `file:line:column  code  message`, below it what to write or do, and at the end their number. */
export function renderFindings(file: string, findings: readonly Finding[], { columns, paint }: Look = plainLook): string {
  const places = findings.map(({ line, column }) => `${file}:${line}:${column}`);
  const width = Math.max(...places.map(cells), 0);
  const codes = Math.max(...findings.map(({ code }) => code.length), 0);
  const before = width + codes + 2 * gap.length;
  const lines = findings.flatMap(({ code, message, remedy, corrected }, index) => {
    const head = `${paint.bold(padEnd(places[index]!, width))}${gap}${paint.red(code)}`;
    const beside = before + cells(message) <= columns;
    return [
      beside ? `${head}${' '.repeat(codes - code.length)}${gap}${message}` : head,
      ...(beside ? [] : inLines(message, columns)),
      ...(remedy ?? '')
        .split('\n')
        .filter(Boolean)
        .flatMap((each) => inLines(each, columns)),
      // A line to be copied is never broken.
      ...(corrected === undefined ? [] : [`${indent}${paint.dim('write')}${gap}${paint.green(corrected.trim())}`]),
    ];
  });
  return [...lines, `${findings.length} finding${findings.length === 1 ? '' : 's'}`].join('\n');
}

const inLines = (text: string, columns: number): string[] =>
  wrap(text, Math.max(20, columns - indent.length)).map((line) => `${indent}${line}`);
