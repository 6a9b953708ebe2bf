import type { CsvOptions } from '../../../pipelines/source-spec.ts';
import { BadInput } from '../../../errors/classes.ts';
import type { Engine } from '../engine.ts';
import { identifier, literal } from '../../../text/sql.ts';
import type { TextHint } from '../../preview.ts';

/** How the texts of a column are read. `format`: of its dates or times, where it is not ISO 8601. */
export type TextType = { name: string; sql: string; format?: string };

/** What every text of a column must be, so that it is read as something else; `sql` is of the value then. */
type Candidate = { fits: (text: string) => string; sql: (text: string) => string; format?: string };

const matches = (text: string, pattern: string): string => `regexp_full_match(${text}, ${literal(pattern)})`;

const casted = (type: string, pattern: string): Candidate => ({
  fits: (text) => `${matches(text, pattern)} and try_cast(${text} as ${type}) is not null`,
  sql: (text) => `cast(${text} as ${type})`,
});

const isoDate = '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}';
const isoTime = `${isoDate}([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?)?`;

/** Digits with a zero in front are no number: an area code would lose it. */
const whole = '(0|[1-9][0-9]*)';

/** Dates and times of ISO 8601. */
export const isoTimes: readonly Candidate[] = [
  casted('date', isoDate),
  casted('timestamp', isoTime),
  casted('timestamp with time zone', `${isoTime} ?(Z|[-+][0-9]{2}(:?[0-9]{2})?)?`),
];

const float = casted('double', `(?i)\\s*[-+]?((${whole}([.][0-9]*)?|[.][0-9]+)(e[-+]?[0-9]+)?|nan|inf|infinity)\\s*`);

const fixedTypes: Candidate[] = [
  casted('boolean', '(?i)true|false'),
  casted('bigint', `\\s*[-+]?${whole}\\s*`),
  // Whole numbers beyond 64 bits are ids: a float would change their digits.
  { ...float, fits: (text) => `${float.fits(text)} and not ${matches(text, '\\s*[-+]?[0-9]{16,}\\s*')}` },
  ...isoTimes,
];

const formatted = (format: string, isTime: boolean): Candidate => ({
  fits: (text) => `try_strptime(${text}, ${literal(format)}) is not null`,
  sql: (text) => `strptime(${text}, ${literal(format)})${isTime ? '' : '::date'}`,
  format,
});

/** Dates with the year last: only a number above 12 shows which of the others is the day. */
const yearLast = '[0-9]{1,2}([-/.])[0-9]{1,2}[-/.][0-9]{4}( [0-9]{1,2}:[0-9]{2}(:[0-9]{2})?)?';
const yearFirst = '[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}( [0-9]{1,2}:[0-9]{2}(:[0-9]{2})?)?';

const clocks = ['', ' %H:%M', ' %H:%M:%S'];
const orders = (separator: string): [dayFirst: string, monthFirst: string] => [
  ['%d', '%m', '%Y'].join(separator),
  ['%m', '%d', '%Y'].join(separator),
];

/** Dates that no text of the column contradicts, over all of its rows. */
const otherDates: Candidate[] = clocks.flatMap((clock) =>
  ['%Y/%m/%d', ...['/', '-', '.'].flatMap(orders)].map((date) => formatted(`${date}${clock}`, clock !== '')),
);

const looksLikeDate = (text: string): string => `(${matches(text, yearLast)} or ${matches(text, yearFirst)})`;

/** Stays text unless a format of its dates is found. */
const dateLike: Candidate = { fits: looksLikeDate, sql: (text) => text };

/** What a text of unknown meaning is tried as, in this order. */
const plainTypes: readonly Candidate[] = [...fixedTypes, dateLike];

/** Questions of one query: each takes memory of its own, whatever there is to count. */
const atOnce = 100;

/** Rows that are looked at before all of them: what these contradict need not be asked of the others. */
const firstRows = 2_048;

/**
 * What the columns of a table of texts hold: a column is read as something else only where every text of it can be, over
 * all rows, so that no value becomes null. Dates of which no value shows whether day or month comes first stay text, with a hint.
 */
export async function textTypes(
  engine: Engine,
  relation: string,
  columns: readonly string[],
  options: CsvOptions = {},
  candidates: readonly Candidate[] = plainTypes,
): Promise<{ types: TextType[]; hints: TextHint[] }> {
  const said = [
    ...(options.dateFormat === undefined ? [] : [formatted(options.dateFormat, false)]),
    ...(options.timestampFormat === undefined ? [] : [formatted(options.timestampFormat, true)]),
  ];
  const countedOf = async (wanted: [string, Candidate[]][], from: string): Promise<[string, { texts: number; fits: number[] }][]> => {
    const items = wanted.flatMap(([name, candidates]) => {
      const text = identifier(name);
      return [`count(${text})`, ...candidates.map(({ fits }) => `count(*) filter (where ${fits(text)})`)];
    });
    const result = await engine.connection.runAndReadAll(`select ${items.join(', ')} from ${from}`);
    const values = result.getRows()[0]!.map(Number);
    let at = 0;
    return wanted.map(([name, { length }]) => [name, { texts: values[at++]!, fits: values.slice(at, (at += length)) }]);
  };
  const counted = async (wanted: Map<string, Candidate[]>, from: string): Promise<Map<string, { texts: number; fits: number[] }>> => {
    const left = [...wanted];
    const found: [string, { texts: number; fits: number[] }][] = [];
    while (left.length > 0) {
      let [count, asked] = [0, 0];
      while (count < left.length && asked < atOnce) asked += 1 + left[count++]![1].length;
      found.push(...(await countedOf(left.splice(0, count), from)));
    }
    return new Map(found);
  };
  /** Candidates that fit all texts of the rows; of a column without a text there, those that `blank` gives. */
  const kept = async (
    wanted: Map<string, Candidate[]>,
    from: string,
    blank: (candidates: Candidate[]) => Candidate[] = () => [],
  ): Promise<Map<string, Candidate[]>> => {
    if (wanted.size === 0) return wanted;
    const found = await counted(wanted, from);
    return new Map(
      [...wanted].map(([name, candidates]) => {
        const { texts, fits } = found.get(name)!;
        return [name, texts === 0 ? blank(candidates) : candidates.filter((_, at) => fits[at] === texts)];
      }),
    );
  };
  const some = `(select * from ${relation} limit ${firstRows})`;
  const all = new Map(columns.map((name) => [name, [...said, ...candidates]]));
  const sampled = await kept(all, some, (candidates) => candidates);
  const sure = await kept(new Map([...sampled].filter(([, candidates]) => candidates.length > 0)), relation);
  const dates = new Map([...sure].filter(([, [first]]) => first === dateLike).map(([name]) => [name, otherDates]));
  const dateFormats = await kept(dates, relation);
  const hints: TextHint[] = [];
  const types = columns.map((name): TextType => {
    const text = identifier(name);
    const [first, second] = dateFormats.get(name) ?? sure.get(name) ?? [];
    if (dateFormats.has(name) && (first === undefined || second !== undefined)) {
      const formats = (dateFormats.get(name) ?? []).map(({ format }) => `'${format}'`);
      hints.push({
        column: name,
        message: first
          ? `dates of which nothing says whether day or month comes first: they stay text; say csv: { dateFormat: ${formats.join(' } or { dateFormat: ')} }`
          : 'dates in more than one way: they stay text; write them alike, as 2024-12-31',
      });
      return { name, sql: text };
    }
    if (first === undefined || first === dateLike) return { name, sql: text };
    return { name, sql: first.sql(text), ...(first.format === undefined ? {} : { format: first.format }) };
  });
  for (const candidate of said)
    if (!types.some(({ format }) => format === candidate.format))
      throw new BadInput('bad_input', `csv: the format '${candidate.format}' fits all values of no column`);
  return { types, hints };
}
