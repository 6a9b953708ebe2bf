import { BadInput } from '../../../../errors/classes.ts';
import { addressOf } from './address.ts';
import { unescaped } from './item-text.ts';
import { serialMoment, writtenMoment } from './serial.ts';
import type { RawCell } from './sheet-rows.ts';
import type { Strings } from './strings.ts';
import type { Styles } from './styles.ts';
import type { Workbook } from './workbook.ts';

export type CellKind = 'text' | 'integer' | 'decimal' | 'boolean' | 'date' | 'timestamp';

/**
 * What a cell holds, as text: of a number the shortest that is it, of a date or time ISO 8601. `digits` of a whole number with more of
 * them than a spreadsheet program keeps: zeros where it has cut the last ones off.
 */
export type CellValue = { kind: CellKind; text: string; digits?: 'all' | 'cut' | undefined };

/** What a cell holds; undefined where that is nothing. Fails with `BadInput`, by its address, where it is no value. */
export type CellReader = (cell: RawCell) => CellValue | undefined;

/** The error that stands for no value. */
const noValue = '#N/A';

const number = /^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$/;
const whole = /^[-+]?[0-9]+$/;

/** Digits of a number that spreadsheet programs keep when it is typed. */
const keptDigits = 15;

function digitsOf(value: number): CellValue['digits'] {
  if (!Number.isInteger(value) || Math.abs(value) < 10 ** keptDigits) return undefined;
  return BigInt(value)
    .toString()
    .replace(/^-|0+$/g, '').length > keptDigits
    ? 'all'
    : 'cut';
}

/** A number as it is; whole ones with more digits than a double holds are text, as of an id. */
function numberValue(text: string): CellValue | undefined {
  const value = Number(text);
  if (!number.test(text) || !Number.isFinite(value)) return undefined;
  const digits = digitsOf(value);
  if (Number.isSafeInteger(value)) return { kind: 'integer', text: String(value), digits };
  if (!whole.test(text)) return { kind: 'decimal', text: String(value), digits };
  const exact = BigInt(text.replace('+', ''));
  return exact === BigInt(value) ? { kind: 'decimal', text: String(exact), digits } : { kind: 'text', text, digits: 'all' };
}

type Reading = { sheet: string; workbook: Workbook; strings: Strings; styles: Styles; nulls: readonly string[] };

/** How the cells of a sheet are read. */
export function createCellReader({ sheet, workbook, strings, styles, nulls }: Reading): CellReader {
  const refuse = ({ column, row }: RawCell, reason: string): never => {
    throw new BadInput('bad_input', `${sheet}!${addressOf(column, row)} ${reason}`);
  };
  const textValue = (cell: RawCell, text: string): CellValue | undefined => {
    if (text === '' || nulls.includes(text)) return undefined;
    if (!text.isWellFormed()) refuse(cell, 'holds half a character (a lone surrogate); write its text again');
    return { kind: 'text', text };
  };
  const numeric = (cell: RawCell, text: string): CellValue => {
    const plain =
      numberValue(text) ?? refuse(cell, `holds ${JSON.stringify(text.slice(0, 40))}, which is no number: the workbook is damaged`);
    const format = styles(cell.style);
    if (format === undefined) return plain;
    return (
      serialMoment(Number(text), format, workbook.dates) ??
      refuse(cell, `has the format of a date and holds ${plain.text}, which is none; clear the cell, or give it the format of a number`)
    );
  };
  const error = (cell: RawCell, text: string): undefined =>
    text === noValue
      ? undefined
      : refuse(cell, `holds the error ${text.slice(0, 40)}; mend its formula or clear the cell (${noValue} is read as no value)`);
  const types: Record<string, (cell: RawCell, text: string) => CellValue | undefined> = {
    n: (cell, text) => (text.trim() === '' ? undefined : numeric(cell, text.trim())),
    s: (cell, text) =>
      /^[0-9]{1,10}$/.test(text.trim())
        ? textValue(cell, strings.at(Number(text)))
        : refuse(cell, 'names no text: the workbook is damaged'),
    str: (cell, text) => textValue(cell, unescaped(text)),
    inlineStr: (cell, text) => textValue(cell, unescaped(text)),
    b: (cell, text) =>
      /^(0|1|true|false)$/.test(text.trim())
        ? { kind: 'boolean', text: String(['1', 'true'].includes(text.trim())) }
        : refuse(cell, 'is neither true nor false: the workbook is damaged'),
    e: error,
    d: (cell, text) =>
      number.test(text.trim())
        ? refuse(cell, `is said to be a date that is written out and holds ${JSON.stringify(text.slice(0, 40))}: the workbook is damaged`)
        : (writtenMoment(text.trim()) ?? textValue(cell, text)),
  };
  return (cell) => {
    const { type, isFormula, value } = cell;
    const isKnown = value !== undefined && (value.trim() !== '' || type !== 'n');
    if (isFormula && (workbook.isUncalculated || !isKnown))
      refuse(cell, 'is a formula that nobody has calculated; open the workbook in a spreadsheet program and save it');
    return value === undefined
      ? undefined
      : (types[type] ?? refuse(cell, `has the unknown type ${JSON.stringify(type.slice(0, 20))}`))(cell, value);
  };
}
