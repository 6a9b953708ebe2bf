import type { z } from 'zod';
import type { Finding, Locate, Path } from './findings.ts';
import type { FindingCode } from './finding-codes.ts';
import { formatPath } from './findings.ts';
import { at, fields } from './schema-fields.ts';
import { hasExpression, isExact } from '../expressions/scan.ts';
import { suggestion } from '../../text/nearest.ts';

type Issue = z.core.$ZodIssue;

/** What was checked: the value, its schema, where it stands in the document, how it is called in messages. */
type Checked = { value: unknown; schema: z.ZodType; base: Path; of: string; locate: Locate };

/**
 * Findings of a value against a schema. An expression is taken to be of the right type, since its value is
 * known only in the run; text around an expression is text.
 */
export function check(checked: Checked): Finding[] {
  const result = checked.schema.safeParse(checked.value);
  if (result.success) return [];
  return result.error.issues.flatMap((issue) => toFindings(issue, [], checked));
}

const reach = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      inner !== null && typeof inner === 'object' && Object.hasOwn(inner, key) ? (inner as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );

/** True where the issue is about a value that only the run will know. */
function excused(issue: Issue, path: readonly PropertyKey[], checked: Checked): boolean {
  const value = reach(checked.value, path);
  if (typeof value === 'string' && hasExpression(value)) return isExact(value) || issue.code !== 'invalid_type';
  // A rule over several fields cannot be judged while one of them is an expression.
  return issue.code === 'custom' && holdsExpression(value);
}

const holdsExpression = (value: unknown): boolean =>
  typeof value === 'string'
    ? hasExpression(value)
    : value !== null && typeof value === 'object' && Object.values(value).some(holdsExpression);

function toFindings(issue: Issue, before: readonly PropertyKey[], checked: Checked): Finding[] {
  const path = [...before, ...issue.path];
  if (issue.code !== 'invalid_key' && excused(issue, path, checked)) return [];
  if (issue.code === 'invalid_union' && present(checked.value, path)) return unionFindings(issue, path, checked);
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownField(key, path, checked));
  if (issue.code === 'invalid_key' || issue.code === 'invalid_element')
    return issue.issues.flatMap((inner) => [
      finding('invalid-name', `'${String(issue.path.at(-1))}': ${inner.message}`, path, checked, 'key'),
    ]);
  // A rule over several fields may name one that is absent.
  if (!present(checked.value, path) && issue.code !== 'custom') return [missing(path, checked)];
  if (issue.code === 'invalid_type')
    return [
      finding('wrong-type', `${name(path, checked)} is ${kind(reach(checked.value, path))}, expected ${expected(issue)}`, path, checked),
    ];
  return [
    finding('invalid-value', `${name(path, checked)}: ${issue.message.charAt(0).toLowerCase()}${issue.message.slice(1)}`, path, checked),
  ];
}

const present = (value: unknown, path: readonly PropertyKey[]): boolean => {
  const parent = reach(value, path.slice(0, -1));
  return path.length === 0 || (parent !== null && typeof parent === 'object' && Object.hasOwn(parent, path.at(-1)!));
};

const missing = (path: readonly PropertyKey[], checked: Checked): Finding => {
  const field = String(path.at(-1) ?? '');
  const owner = path.length > 1 ? `${name(path.slice(0, -1), checked)} of ${checked.of}` : checked.of;
  return finding('missing-field', `${owner} needs the field '${field}'`, path, checked, 'owner');
};

function unknownField(key: string, path: readonly PropertyKey[], checked: Checked): Finding {
  const schema = at(checked.schema, path);
  const owner = path.length > 0 && checked.base.length > 0 ? `'${path.map(String).join('.')}' of ${checked.of}` : checked.of;
  const known = Object.keys((schema && fields(schema)) ?? {}).filter((field) => !present(checked.value, [...path, field]));
  return finding('unknown-field', `'${key}' is not a field of ${owner}${suggestion(key, known)}`, [...path, key], checked, 'key');
}

/** Findings of the alternative that was most likely meant: fewest problems, those of names counting most. */
function unionFindings(issue: Issue & { code: 'invalid_union' }, path: readonly PropertyKey[], checked: Checked): Finding[] {
  const branches = issue.errors.map((issues) => issues.flatMap((inner) => toFindings(inner, path, checked)));
  if (branches.some((branch) => branch.length === 0)) return [];
  const value = reach(checked.value, path);
  if (value === null || typeof value !== 'object')
    return [finding('wrong-type', `${name(path, checked)} is ${kind(value)}, expected ${alternatives(issue.errors)}`, path, checked)];
  // A form of another kind was not meant: a text, where fields are given.
  const kindred = branches.filter(
    (_, at) => !issue.errors[at]!.some(({ code, path: inner }) => code === 'invalid_type' && inner.length === 0),
  );
  const best = (kindred.length > 0 ? kindred : branches).toSorted((a, b) => weight(a) - weight(b))[0];
  return best ?? [finding('wrong-type', `${name(path, checked)} fits none of the forms that are allowed`, path, checked)];
}

const weights: Readonly<Record<string, number>> = { 'unknown-field': 4, 'missing-field': 2 };
const weight = (branch: Finding[]): number =>
  branch.reduce((sum, { code, message }) => sum + (weights[code] ?? 1) - (message.includes('did you mean') ? 2 : 0), 0);

const alternatives = (errors: readonly Issue[][]): string => {
  const names = errors
    .map((issues) => issues[0])
    .map((issue) =>
      issue === undefined
        ? 'something else'
        : issue.code === 'invalid_type'
          ? expected(issue)
          : issue.message.charAt(0).toLowerCase() + issue.message.slice(1),
    );
  return [...new Set(names)].join(' or ');
};

const article: Record<string, string> = {
  string: 'text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'fields',
  record: 'fields',
  null: 'null',
};

const expected = (issue: Issue & { code: 'invalid_type' }): string =>
  'format' in issue && issue.format === 'safeint' ? 'a whole number' : (article[issue.expected] ?? issue.expected);

function kind(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'fields';
  if (typeof value === 'string') return `the text ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
  return JSON.stringify(value) ?? typeof value;
}

const name = (path: readonly PropertyKey[], checked: Checked): string =>
  path.length === 0 ? checked.of : `'${formatPath(path.map((part) => (typeof part === 'symbol' ? String(part) : part)))}'`;

function finding(
  code: FindingCode,
  message: string,
  path: readonly PropertyKey[],
  { base, locate }: Checked,
  where: 'key' | 'owner' | 'value' = 'value',
): Finding {
  const full = [...base, ...(path as Path)];
  const position = where === 'value' ? locate.value(full) : locate.key(where === 'owner' ? full.slice(0, -1) : full);
  return { code, message, path: formatPath(full), ...position };
}
