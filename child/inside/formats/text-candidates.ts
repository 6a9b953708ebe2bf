import type { CsvOptions, TextTypeName } from '../../../pipelines/source-spec.ts';
import { literal } from '../../../text/sql.ts';
import { stableText } from '../rows/column-types.ts';

/** What every text of a column must be, so that it is read as something else; `sql` is of the value then. */
export type Candidate = { type: TextTypeName; fits: (text: string) => string; sql: (text: string) => string; format?: string };

const matches = (text: string, pattern: string): string => `regexp_full_match(${text}, ${literal(pattern)})`;

const casted = (type: TextTypeName, pattern: string): Candidate => ({
  type,
  fits: (text) => `${matches(text, pattern)} and try_cast(${text} as ${type}) is not null`,
  sql: (text) => `cast(${text} as ${type})`,
});

const isoDate = '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}';
const isoTime = `${isoDate}([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?)?`;

/** Dates and times of ISO 8601. */
export const isoTimes: readonly Candidate[] = [
  casted('DATE', isoDate),
  casted('TIMESTAMP', isoTime),
  casted('TIMESTAMP WITH TIME ZONE', `${isoTime} ?(Z|[-+][0-9]{2}(:?[0-9]{2})?)?`),
];

/** Digits with a zero in front are no number: an area code would lose it. */
const whole = '(0|[1-9][0-9]*)';

/** Seven digits or more behind a plus sign are a phone number: a number would lose the sign. */
const short = '(0|[1-9][0-9]{0,5})';

const signed = (digits: (whole: string) => string): string => `(?i)\\s*(-?${digits(whole)}|[+]${digits(short)})\\s*`;

const withPower = (digits: string): string => `((${digits})(e[-+]?[0-9]+)?|nan|inf|infinity)`;

const integer = casted(
  'BIGINT',
  signed((digits) => digits),
);

const float = casted(
  'DOUBLE',
  signed((digits) => withPower(`${digits}|${whole}[.][0-9]*|[.][0-9]+`)),
);

const groups = '[0-9]{1,3}([.][0-9]{3})+';

/** A number with a comma before its decimals, its digits in groups of three or not. */
const commaFloat: Candidate = {
  type: 'DOUBLE',
  fits: (text) =>
    matches(
      text,
      signed((digits) => withPower(`${digits}|${groups}|(${groups}|${whole}),[0-9]*|,[0-9]+`)),
    ),
  sql: (text) => `cast(replace(replace(${text}, '.', ''), ',', '.') as DOUBLE)`,
};

const floats = ({ decimal = '.' }: CsvOptions): Candidate => (decimal === ',' ? commaFloat : float);

/** A year of four digits is none of two: 24 would be that of an emperor. One before 1000, which stands for no date, has its zeros. */
const hasItsYear = (text: string, format: string): string => {
  const year = `year(try_strptime(${text}, ${literal(format)}))`;
  return format.includes('%Y') ? ` and (${year} >= 1000 or contains(${text}, lpad(${year}::varchar, 4, '0')))` : '';
};

const formatted = (format: string, type: 'DATE' | 'TIMESTAMP'): Candidate => ({
  type,
  fits: (text) => `try_strptime(${text}, ${literal(format)}) is not null${hasItsYear(text, format)}`,
  sql: (text) => `strptime(${text}, ${literal(format)})${type === 'DATE' ? '::date' : ''}`,
  format,
});

/** Dates and times in the formats that the pipeline's file names. */
export const saidFormats = ({ dateFormat, timestampFormat }: CsvOptions): Candidate[] => [
  ...(dateFormat === undefined ? [] : [formatted(dateFormat, 'DATE')]),
  ...(timestampFormat === undefined ? [] : [formatted(timestampFormat, 'TIMESTAMP')]),
];

/** Dates with the year last: only a number above 12 shows which of the others is the day. */
const yearLast = '[0-9]{1,2}([-/.])[0-9]{1,2}[-/.][0-9]{4}( [0-9]{1,2}:[0-9]{2}(:[0-9]{2})?)?';
const yearFirst = '[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}( [0-9]{1,2}:[0-9]{2}(:[0-9]{2})?)?';

const clocks = ['', ' %H:%M', ' %H:%M:%S'];
const orders = (separator: string, year: '%Y' | '%y'): [dayFirst: string, monthFirst: string] => [
  ['%d', '%m', year].join(separator),
  ['%m', '%d', year].join(separator),
];

/** Dates that no text of the column contradicts, over all of its rows. */
export const otherDates: readonly Candidate[] = clocks.flatMap((clock) =>
  ['%Y/%m/%d', ...(['%Y', '%y'] as const).flatMap((year) => ['/', '-', '.'].flatMap((separator) => orders(separator, year)))].map((date) =>
    formatted(`${date}${clock}`, clock === '' ? 'DATE' : 'TIMESTAMP'),
  ),
);

/** Stays text unless a format of its dates is found. */
export const dateLike: Candidate = {
  type: 'VARCHAR',
  fits: (text) => `(${matches(text, yearLast)} or ${matches(text, yearFirst)})`,
  sql: (text) => text,
};

/** Whole numbers beyond 64 bits are ids: a float would change their digits. */
const isLong = (text: string): string => matches(text, '\\s*[-+]?[0-9]{16,}\\s*');

/** Numbers with a comma before their decimals, unless the file says that they are. */
export const commaLike: Candidate = {
  type: 'VARCHAR',
  fits: (text) => `(${commaFloat.fits(text)}) and not ${isLong(text)}`,
  sql: (text) => text,
};

/** True of a text that often stands for no value. */
export const isNullWord = (text: string): string =>
  `lower(trim(${text})) in ('na', 'n/a', 'n.a.', '#n/a', 'null', 'none', 'nil', 'missing', 'unknown', '-', '--', '?', '.')`;

const fixedTypes = (options: CsvOptions): readonly Candidate[] => [
  casted('BOOLEAN', '(?i)true|false'),
  integer,
  { ...floats(options), fits: (text) => `${floats(options).fits(text)} and not ${isLong(text)}` },
  ...isoTimes,
];

/** Numbers, or dates, or times, but for words that often stand for no value. */
const nullLikes = (options: CsvOptions): readonly Candidate[] =>
  [floats(options), ...isoTimes].map(({ fits }) => ({
    type: 'VARCHAR',
    fits: (text) => `(${isNullWord(text)} or ${fits(text)})`,
    sql: (text) => text,
  }));

/** What a text of unknown meaning is tried as, in this order. */
export const plainTypes = (options: CsvOptions): readonly Candidate[] => [
  ...fixedTypes(options),
  dateLike,
  ...(options.decimal === undefined ? [commaLike] : []),
  ...nullLikes(options),
];

/**
 * What a text of a column of ids is tried as: an id is its text, so that `1.10` and `1.1`, `1` and `+1` stay two. It is read as
 * something else only where that, written again, is the text.
 */
export const idTypes = (candidates: readonly Candidate[]): readonly Candidate[] =>
  candidates
    .filter(({ type }) => type !== 'VARCHAR')
    .map((candidate) => ({
      ...candidate,
      fits: (text) =>
        `case when ${candidate.fits(text)} and ${plainDigits(candidate.type, text)} then ${stableText(candidate.sql(text), candidate.type)} = ${text} else false end`,
    }));

const plainDigits = (type: TextTypeName, text: string): string =>
  type === 'BIGINT' || type === 'DOUBLE' ? matches(text, '-?[0-9]+([.][0-9]+)?') : 'true';

/** What a text of a column that is said to hold a type is read as: zeros in front and words for true and false are its user's affair. */
export const typeCandidates = (type: Exclude<TextTypeName, 'VARCHAR'>, options: CsvOptions): readonly Candidate[] => {
  if (type === 'BOOLEAN') return [casted('BOOLEAN', '(?i)true|false|t|f|yes|no|y|n|1|0')];
  if (type === 'BIGINT') return [casted('BIGINT', '\\s*[-+]?[0-9]+\\s*')];
  if (type === 'DOUBLE') return [options.decimal === ',' ? commaFloat : casted('DOUBLE', '.*')];
  return [...saidFormats(options), ...isoTimes, ...otherDates].filter((candidate) => candidate.type === type);
};
