import type { z } from 'zod';
import { bare, def, fields } from './schema-fields.ts';
import { wordsOf } from './meant.ts';

type Issue = z.core.$ZodIssue;

/** Kinds of values in plain words. */
const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'fields',
  record: 'fields',
  null: 'null',
};

/** What texts of a format look like. */
const formats: Readonly<Record<string, string>> = {
  guid: 'an id such as 6f9619ff-8b86-d011-b42d-00c04fc964ff',
  uuid: 'an id such as 6f9619ff-8b86-d011-b42d-00c04fc964ff',
  date: 'a date such as 2024-05-31',
  datetime: 'a time such as 2024-05-31T10:00:00Z',
  url: 'an address such as https://example.com',
  email: 'an address such as ada@example.com',
};

/** A rule in the middle of a sentence; one that begins with a name such as RUN/STEP stays as it is. */
const lower = (text: string): string => text.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** What a value may be, in plain words: from its schema where there is one, else from what was wrong with it. */
export function expected(issue: Issue | undefined, schema: z.ZodType | undefined): string {
  if (schema !== undefined) return ofSchema(schema);
  if (issue?.code === 'invalid_type')
    return kinds['format' in issue && issue.format === 'safeint' ? 'int' : issue.expected] ?? issue.expected;
  return 'something else';
}

type Rules = { format?: string | null; pattern?: RegExp; error?: unknown };

/** The rule that a text keeps to: its format, or the words that its schema gives. */
function ofText(schema: z.ZodType): string {
  const own = schema as { format?: string | null };
  const checks = (def(schema) as { checks?: { _zod: { def: Rules & { error?: (issue: object) => unknown } } }[] }).checks ?? [];
  const said = checks
    .map(({ _zod }) => (_zod.def.pattern === undefined ? undefined : _zod.def.error?.({})))
    .find((words): words is string => typeof words === 'string');
  return formats[own.format ?? ''] ?? (said === undefined ? kinds['string']! : said);
}

function ofSchema(schema: z.ZodType): string {
  const plain = bare(schema);
  const { type, options, shape, values } = def(plain) as ReturnType<typeof def> & { values?: readonly unknown[] };
  const words = wordsOf(plain);
  if (words) return listed(words);
  if (type === 'literal') return listed((values ?? []).map(String));
  if (type === 'union') {
    const all = [...new Set((options ?? []).map(ofSchema))];
    return listed(all.length > 6 ? ['one of its forms'] : all);
  }
  if (type === 'object') {
    const names = Object.keys(shape ?? fields(plain) ?? {});
    return names.length === 0 || names.length > 6 ? 'fields' : `{ ${names.map((name) => `${name}: …`).join(', ')} }`;
  }
  if (type === 'string') return ofText(plain);
  if (type === 'number') return (plain as { isInt?: boolean }).isInt ? kinds['int']! : kinds['number']!;
  return kinds[type] ?? 'another value';
}

/** The kind of a value, and the value itself where it is short. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'fields';
  if (typeof value === 'string') return `the text ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
  return JSON.stringify(value) ?? typeof value;
}

const counted = (count: number | bigint, one: string, many = `${one}s`): string => `${count} ${Number(count) === 1 ? one : many}`;

/** What an issue asks for, in plain words. */
export function ruleOf(issue: Issue): string {
  if (issue.code === 'too_small' || issue.code === 'too_big') {
    const least = issue.code === 'too_small';
    const end = least ? issue.minimum : issue.maximum;
    const inclusive = issue.inclusive ?? true;
    if (issue.origin === 'string')
      return least && Number(end) === 1 ? 'it must not be empty' : `${least ? 'at least' : 'at most'} ${counted(end, 'character')}`;
    if (issue.origin === 'array' || issue.origin === 'set') return `${least ? 'at least' : 'at most'} ${counted(end, 'item')}`;
    return `it must be ${inclusive ? (least ? 'at least' : 'at most') : least ? 'more than' : 'less than'} ${end}`;
  }
  if (issue.code === 'invalid_format') return formats[issue.format] ? `it must be ${formats[issue.format]}` : lower(issue.message);
  if (issue.code === 'not_multiple_of') return `it must be a multiple of ${issue.divisor}`;
  return lower(issue.message);
}
