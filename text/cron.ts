/** `end`: the last value before it begins again, where that is not `to`. */
type Field = { called: string; from: number; to: number; end?: number; names?: readonly string[] };

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The fields of a cron line in their order. Months count from 1, days of the week from Sunday, 0 or 7. */
const fields: readonly Field[] = [
  { called: 'minute', from: 0, to: 59 },
  { called: 'hour', from: 0, to: 23 },
  { called: 'day of the month', from: 1, to: 31 },
  { called: 'month', from: 1, to: 12, names: months },
  { called: 'day of the week', from: 0, to: 7, end: 6, names: days },
];

const numberOf = (text: string, { from, names = [] }: Field): number => {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return named + from;
  return /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
};

/** A range that goes backwards as what is meant by it: on to the end of the field, and further from its beginning. */
function forwards([first, last]: readonly [string, string], step: number, field: Field): string {
  const { from, to, end = to, names = [] } = field;
  const [low, high] = [numberOf(first, field), numberOf(last, field)];
  const behind = from + ((step - ((end - low + 1) % step)) % step);
  const around: [number, number][] = [
    [low, end],
    [behind, high],
  ];
  // Sunday is before the week and behind it.
  const spans = low > end ? [[from, high] as const] : to > end && high === from ? [[low, to] as const] : around;
  const spell = (value: number, until: number): string => (/^\d/.test(first) || until > end ? String(value) : names[value - from]!);
  return spans
    .filter(([begin, until]) => begin <= until)
    .map(([begin, until]) => {
      const one = spell(begin, until);
      return begin === until ? one : `${one}-${spell(until, until)}${step > 1 ? `/${step}` : ''}`;
    })
    .join(',');
}

function wrongPart(part: string, field: Field): string | undefined {
  const { called, from, to } = field;
  const [range = '', step, more] = part.split('/');
  const [first = '', last, third] = range === '*' ? [String(from), String(to)] : range.split('-');
  const [low, high] = [numberOf(first, field), last === undefined ? from : numberOf(last, field)];
  const many = step === undefined ? 1 : /^[1-9]\d?$/.test(step) ? Number(step) : Number.NaN;
  if (more !== undefined || third !== undefined || [low, high, many].some(Number.isNaN))
    return `'${part}' is no ${called}: write a number, a range such as ${from}-${to}, * or */2`;
  const outside = [low, ...(last === undefined ? [] : [high])].find((value) => value < from || value > to);
  if (outside !== undefined) return `the ${called} ${outside} is not there: it is from ${from} to ${to}`;
  if (last !== undefined && low > high) return `'${part}' goes backwards: write ${forwards([first, last], many, field)}`;
  return undefined;
}

/** The values of a field that is right, the smallest first. A step after one number goes on to the end. */
function valuesOf(text: string, field: Field): number[] {
  const parts = text.split(',').map((part) => {
    const [range = '', step] = part.split('/');
    const [first = '', last] = range === '*' ? [String(field.from), String(field.to)] : range.split('-');
    const low = numberOf(first, field);
    const high = last !== undefined ? numberOf(last, field) : step === undefined ? low : field.to;
    return Array.from({ length: Math.floor((high - low) / Number(step ?? 1)) + 1 }, (_, at) => low + at * Number(step ?? 1));
  });
  return parts.flat().sort((a, b) => a - b);
}

/** Days of the months in a leap year. */
const longest = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Why no day is meant by the days of the month and the months of a line; undefined where one is. */
function neverDue([, , day = '*', month = '*']: readonly string[]): string | undefined {
  const [least = 1] = valuesOf(day, fields[2]!);
  const most = Math.max(...valuesOf(month, fields[3]!).map((of) => longest[of - 1]!));
  return least <= most
    ? undefined
    : `it is never due: the day of the month ${least} is in none of the months '${month}', whose longest has ${most} days`;
}

/**
 * What is wrong with a line of five fields (minute, hour, day of the month, month, day of the week); undefined where it is right. A line
 * that names no day of any year is wrong.
 */
export function wrongCron(text: string): string | undefined {
  const found = text.trim().split(/\s+/);
  if (found.length !== fields.length)
    return `five fields are due (minute, hour, day of the month, month, day of the week), not ${text.trim() === '' ? 0 : found.length}`;
  const [wrong] = found.flatMap((field, index) => field.split(',').flatMap((part) => wrongPart(part, fields[index]!) ?? []));
  return wrong ?? neverDue(found);
}
