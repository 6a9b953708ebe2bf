import type { TextHint } from '../../../preview.ts';
import { firstRecords, type CsvRecord } from './records.ts';

/** The start of a file behind what is skipped of it: so many records, in so many lines. `isWhole`: the text is all that follows them. */
export type Head = { text: string; skipped: { records: number; lines: number }; isWhole: boolean };

/** What looks like a title: the values below it, what may have to be skipped to have them first, and what to say of the one that does. */
export type Title = { below: string[]; skips: number[]; say: (skip: number) => string };

const delimiters = ['\t', ';', '|', ','];

const isBlank = ({ fields }: CsvRecord): boolean => fields.every((field) => field.trim() === '');

/** Fewest records of equal width behind lines of titles: names and rows. */
const fewestBehind = 2;

/** A comma that a space follows is one of prose, and of names: `Curie, Marie`. */
const isProse = (records: readonly CsvRecord[], delimiter: string): boolean =>
  delimiter === ',' && records.every(({ fields }) => fields.slice(1).every((field) => field.startsWith(' ')));

const isNumber = (field: string | undefined): boolean => field !== undefined && /^\s*-?[0-9][0-9.,]*\s*$/.test(field);

/** Does the first of these name what is below it? Of two columns one must hold numbers: texts may hold one character each by chance. */
const hasNames = ([names, ...rows]: readonly CsvRecord[], fields: number): boolean =>
  names!.fields.every((name) => name.trim() !== '' && !isNumber(name)) &&
  (fields > 2 || names!.fields.some((_, at) => rows.every((row) => isNumber(row.fields[at]))));

/** The first record of a table below records which all have fewer fields; undefined where none is above one. */
function belowTitles(all: readonly CsvRecord[], delimiter: string): CsvRecord | undefined {
  const records = all.filter((record) => !isBlank(record));
  const fields = records.at(-1)?.fields.length ?? 0;
  const first = records.findLastIndex((record) => record.fields.length !== fields) + 1;
  const behind = records.slice(first);
  if (first === 0 || fields < 2 || behind.length < fewestBehind || isProse(behind, delimiter) || !hasNames(behind, fields))
    return undefined;
  // Rows with a value too many, or too few, are no titles: those are a few lines with fewer.
  if (first > behind.length || records.slice(0, first).some((record) => record.fields.length >= fields)) return undefined;
  return records[first];
}

const lineOf = (lines: number): string => (lines === 1 ? 'line 1' : `lines 1 to ${lines}`);

/** As the engine counts; behind a byte order mark it takes the first quote for text, and each line for a record. */
const skipsTo = ({ above, line }: CsvRecord, { records, lines }: Head['skipped']): number[] => [
  ...new Set([records + above, lines + line - 1]),
];

/** The first lines where they look like titles above a table; undefined where they do not. */
export function titlesAbove({ text, skipped, isWhole }: Head, quote: string): Title | undefined {
  for (const delimiter of delimiters) {
    const found = belowTitles(firstRecords(text, { delimiter, quote, isWhole }), delimiter);
    if (!found) continue;
    const behind = lineOf(skipped.lines + found.line - 1);
    return {
      below: found.fields,
      skips: skipsTo(found, skipped),
      say: (skip) =>
        `the lines behind ${behind} have ${found.fields.length} values each: where ${skip === 1 ? 'that is a title' : 'those are titles'}, say csv: { skip: ${skip} }`,
    };
  }
  return undefined;
}

/** A header of which one field alone is a name, above a record of values; undefined where it is none. */
export function titleAsHeader({ text, skipped, isWhole }: Head, dialect: { delimiter: string; quote: string }): Title | undefined {
  const [header, second] = firstRecords(text, { ...dialect, isWhole }).filter((record) => !isBlank(record));
  if (!header || header.fields.length < 2 || header.fields.filter((field) => field.trim() !== '').length !== 1) return undefined;
  if (second?.fields.length !== header.fields.length || second.fields.some((field) => field.trim() === '')) return undefined;
  return {
    below: second.fields,
    skips: skipsTo(second, skipped),
    say: (skip) =>
      `line ${skipped.lines + header.line} names one of ${header.fields.length} columns: where that is a title, say csv: { skip: ${skip} }`,
  };
}

/** Names that the engine made of two that are the same. */
export function nameHints({ text, isWhole }: Head, names: readonly string[], dialect: { delimiter: string; quote: string }): TextHint[] {
  const header = firstRecords(text, { ...dialect, isWhole }).find((record) => !isBlank(record));
  if (header?.fields.length !== names.length) return [];
  const written = header.fields.map((field) => field.trim().toLowerCase());
  return names.flatMap((name, at): TextHint[] => {
    const before = written.indexOf(written[at]!);
    return written[at] === '' || before === at
      ? []
      : [
          {
            column: name,
            message: `the header names two columns "${header.fields[at]!.trim()}" (case is ignored): column ${at + 1} is called ${name}, column ${before + 1} keeps the name`,
          },
        ];
  });
}
