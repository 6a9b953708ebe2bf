import type { z } from 'zod';
import { remedyOf } from '../../contracts/remedies.ts';
import type { Json } from '../../text/json.ts';
import { nearest } from '../../text/nearest.ts';
import { bare, def, fields } from './schema-fields.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

/** What a word means where true or false is due. */
const booleans: Readonly<Record<string, boolean>> = {
  yes: true,
  no: false,
  on: true,
  off: false,
  y: true,
  n: false,
  true: true,
  false: false,
};

/** Units as people write them, by the letter of a duration. */
const units: readonly (readonly [letter: string, words: RegExp])[] = [
  ['s', /^s(ec(ond)?s?)?$/i],
  ['m', /^m(in(ute)?s?)?$/i],
  ['h', /^h((ou)?rs?)?$/i],
  ['d', /^d(ays?)?$/i],
];
const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

const letterOf = (word: string): string | undefined => units.find(([, words]) => words.test(word))?.[0];

/** `2 hours`, `1h30m`, `PT2H` and `1.5h` as one whole number with its unit. */
function durations(text: string): string[] {
  const parts = [...text.replace(/^P(T|(?=\d+D))/i, '').matchAll(/(\d+(?:\.\d+)?)\s*([A-Za-z]+)/g)].map(
    ([, count, word]) => [Number(count), word!.toLowerCase() === 'w' || /^weeks?$/i.test(word!) ? 'w' : letterOf(word!)] as const,
  );
  if (parts.length === 0) return [];
  const total = parts.reduce((sum, [count, unit]) => sum + count * (unit === 'w' ? 604_800 : (seconds[unit ?? ''] ?? Number.NaN)), 0);
  const [first, ...more] = parts;
  if (more.length === 0 && Number.isInteger(first![0]) && first![1] !== 'w') return [`${first![0]}${first![1]}`];
  return ['d', 'h', 'm', 's']
    .filter((letter) => total % (seconds[letter] ?? 1) === 0)
    .map((letter) => `${total / seconds[letter]!}${letter}`);
}

/** `100,000`, `1_000`, `10k` and `"5"` as numbers. */
function numbers(text: string): number[] {
  const [, digits, factor = ''] =
    /^\s*([+-]?[\d_, ]*\d(?:\.\d+)?)\s*([kKM]?)\s*$/.exec(
      text
        .replace(/^\s*[$€£]\s*/, '')
        .replaceAll(/\.(?=\d{3}(\.|$))/g, (dot, _end, at: number, whole: string) => (whole.split('.').length > 2 ? '_' : dot)),
    ) ?? [];
  if (digits === undefined) return [];
  const grouped = /^[+-]?\d{1,3}([_, ]\d{3})+(\.\d+)?$/.test(digits) || /^[+-]?\d+(\.\d+)?$/.test(digits);
  const value = Number(digits.replaceAll(/[_, ]/g, '')) * (factor === '' ? 1 : factor === 'M' ? 1e6 : 1e3);
  return grouped && Number.isFinite(value) ? [value] : [];
}

/** Dates in other orders than year, month, day, where there is no doubt which number is which. */
function dates(text: string): string[] {
  const two = (part: string): string => part.padStart(2, '0');
  const [, year, month, day, time] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[ T](\d{1,2}:\d{2}(?::\d{2})?))?$/.exec(text) ?? [];
  if (year === undefined) {
    const [, first, second, of] = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/.exec(text) ?? [];
    return of !== undefined && Number(first) > 12 ? [`${of}-${two(second!)}-${two(first!)}`] : [];
  }
  const date = `${year}-${two(month!)}-${two(day!)}`;
  return time === undefined ? [date] : [`${date}T${time.length < 6 ? `${two(time)}:00` : time}Z`];
}

/** A share of a hundred, in its own notation. */
function shares(text: string): string[] {
  const [, number] = /^(\d+(?:[.,]\d+)?)\s*(?:%|percent|per cent)$/i.exec(text) ?? [];
  return number === undefined ? [] : [`${number.replace(',', '.')}%`];
}

const slugOf = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

/** Values that a text may have been meant as, the likeliest first. */
function ofText(text: string): Json[] {
  const trimmed = text.trim();
  const word = booleans[trimmed.toLowerCase()];
  return [
    ...(word === undefined ? [] : [word]),
    ...numbers(trimmed),
    ...shares(trimmed),
    ...durations(trimmed),
    ...dates(trimmed),
    trimmed,
    trimmed.toLowerCase(),
    slugOf(trimmed),
    ...(/^[\w-]+(, *[\w-]+)+$/.test(trimmed) ? [trimmed.split(/, */)] : []),
    ...(trimmed === '' ? [] : [[trimmed]]),
    ...asField(trimmed),
  ];
}

/** `slug mails` and `slug = mails`, where fields are due. */
function asField(text: string): Json[] {
  const [, name, value] = /^([A-Za-z]\w*)(?: *[:=] *| +)(\S.*)$/s.exec(text.trim()) ?? [];
  if (name === undefined || value === undefined) return [];
  return [value, ...numbers(value), ...(Object.hasOwn(booleans, value) ? [booleans[value]!] : [])].map((each) => ({ [name]: each }));
}

const ofNumber = (value: number): Json[] => [
  ...(Number.isInteger(value) ? dates(`${value}`.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')) : [`${value}%`]),
  ...(value === 0 || value === 1 ? [value === 1] : []),
  `${value}`,
  ...(value > 0 && value < 1 ? [`${Number((100 * value).toPrecision(6))}%`] : []),
  // A number without a unit is seconds in most tools.
  `${value}s`,
  Math.max(1, Math.round(value)),
  [value],
];

/** One item alone, names that stand for themselves, fields that stand in a list one by one. */
const ofList = (list: readonly Json[]): Json[] => [
  ...(list.length === 1 ? [list[0]!] : []),
  ...(list.every(isText) ? [Object.fromEntries(list.map((name) => [name, name]))] : []),
  ...(list.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item)) ? [Object.assign({}, ...list) as Json] : []),
];

/** A value in the one field that a form has for it: `id: key` is `id: { column: key }`. */
const asForm = (schema: z.ZodType, value: Json): Json[] => {
  const { type, options = [], shape } = def(bare(schema));
  if (type === 'union') return options.flatMap((option) => asForm(option, value));
  return type === 'object' ? Object.keys(shape ?? {}).map((name) => ({ [name]: value })) : [];
};

const ofFields = (fields: { [name: string]: Json }): Json[] => {
  const values = Object.values(fields);
  return values.length === 1 ? [values[0]!] : [];
};

/** The words of an enum, undefined for anything else. */
export const wordsOf = (schema: z.ZodType): string[] | undefined => {
  const { type, entries, values, options } = def(bare(schema)) as ReturnType<typeof def> & { values?: readonly unknown[] };
  if (type === 'enum' && entries) return Object.values(entries).map(String);
  if (type === 'literal' && values?.every((value) => typeof value === 'string')) return [...values];
  if (type !== 'union' || !options) return undefined;
  // A list of such words stands beside the words themselves.
  const words = options.filter((option) => def(bare(option)).type !== 'array').map(wordsOf);
  return words.length > 0 && words.every((each) => each !== undefined) ? [...new Set(words.flat())] : undefined;
};

/** Ends of what a number may be, where it has any. */
const bounds = (schema: z.ZodType): number[] => {
  const { minValue, maxValue } = bare(schema) as { minValue?: number | null; maxValue?: number | null };
  return [minValue, maxValue].filter((end): end is number => typeof end === 'number' && Number.isFinite(end));
};

/** True of fields that hold a value of a kind for which none is proposed. */
const holdsUnknowable = (schema: z.ZodType, guess: Json): boolean =>
  typeof guess === 'object' &&
  guess !== null &&
  Object.entries(guess).some(([name, value]) => {
    const field = fields(schema)?.[name];
    return field !== undefined && remedyOf(bare(field), value) !== undefined;
  });

/** What a value that a schema refuses was most likely meant to be; undefined where nobody can know. */
export function meant(schema: z.ZodType, value: Json): Json | undefined {
  const words = wordsOf(schema);
  if (words) return isText(value) ? nearest(value.trim(), words) : undefined;
  const guesses = isText(value)
    ? ofText(value)
    : typeof value === 'number'
      ? [...ofNumber(value), ...bounds(schema).toSorted((a, b) => Math.abs(a - value) - Math.abs(b - value))]
      : typeof value === 'boolean'
        ? [`${value}`, [value]]
        : Array.isArray(value)
          ? ofList(value)
          : value === null
            ? []
            : ofFields(value);
  return [...guesses, ...(value === null ? [] : asForm(schema, value))].find(
    (guess) => guess !== value && !holdsUnknowable(schema, guess) && schema.safeParse(guess).success,
  );
}
