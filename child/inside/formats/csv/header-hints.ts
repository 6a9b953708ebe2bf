import type { TextHint } from '../../../preview.ts';
import { firstRecords, type CsvRecord } from './records.ts';

/** The start of a file behind its first `skipped` lines. `isWhole`: the text is all that follows them. */
type Head = { text: string; skipped: number; isWhole: boolean };

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

/** Lines above the first record of a table whose records all have more fields; undefined where no line is above one. */
function linesAbove(all: readonly CsvRecord[], delimiter: string): { lines: number; fields: number } | undefined {
  const records = all.filter((record) => !isBlank(record));
  const fields = records.at(-1)?.fields.length ?? 0;
  const first = records.findLastIndex((record) => record.fields.length !== fields) + 1;
  const behind = records.slice(first);
  if (first === 0 || fields < 2 || behind.length < fewestBehind || isProse(behind, delimiter) || !hasNames(behind, fields))
    return undefined;
  // Rows with a value too many, or too few, are no titles: those are a few lines with fewer.
  if (first > behind.length || records.slice(0, first).some((record) => record.fields.length >= fields)) return undefined;
  return { lines: records[first]!.line - 1, fields };
}

const lineOf = (lines: number): string => (lines === 1 ? 'line 1' : `lines 1 to ${lines}`);

/** What to say where the first lines look like titles above a table; undefined where they do not. */
export function titleHint({ text, skipped, isWhole }: Head, quote: string): string | undefined {
  for (const delimiter of delimiters) {
    const found = linesAbove(firstRecords(text, { delimiter, quote, isWhole }), delimiter);
    if (!found) continue;
    const lines = skipped + found.lines;
    return `the lines behind ${lineOf(lines)} have ${found.fields} values each: where ${lines === 1 ? 'that is a title' : 'those are titles'}, say csv: { skip: ${lines} }`;
  }
  return undefined;
}

/** Names that the engine made of two that are the same, and a header of which one field alone is a name. */
export function nameHints(
  { text, skipped, isWhole }: Head,
  names: readonly string[],
  dialect: { delimiter: string; quote: string },
): TextHint[] {
  const [header, second] = firstRecords(text, { ...dialect, isWhole }).filter((record) => !isBlank(record));
  if (header?.fields.length !== names.length) return [];
  const named = header.fields.filter((field) => field.trim() !== '');
  if (names.length > 1 && named.length === 1 && second?.fields.every((field) => field.trim() !== ''))
    return [
      {
        column: names[0]!,
        message: `line ${skipped + header.line} names one of ${names.length} columns: where that is a title, say csv: { skip: ${skipped + header.line} }`,
      },
    ];
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
