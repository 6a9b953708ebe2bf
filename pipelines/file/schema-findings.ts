import type { z } from 'zod';
import { remedyOf } from '../../contracts/remedies.ts';
import type { Json } from '../../text/json.ts';
import { formatPath, help, ownerOf, type Finding, type Locate, type Path } from './findings.ts';
import type { FindingCode } from './finding-codes.ts';
import { expected, kindOf, ruleOf } from './expected.ts';
import { holdsExpression, isAboutFields, mayBeRight } from './known-in-the-run.ts';
import { forms } from './forms.ts';
import { meant, wordsOf } from './meant.ts';
import { inOurWords, instead } from './other-words.ts';
import { reach } from './reach.ts';
import { at, bare, def, fields } from './schema-fields.ts';
import { written } from './yaml/write.ts';
import { hasExpression } from '../expressions/scan.ts';
import { nearest, suggestion } from '../../text/nearest.ts';

type Issue = z.core.$ZodIssue;

/**
 * What was checked: the value, its schema, where it stands in the document, how it is called in messages. `example`: a right
 * value, from which a field that is missing is shown. `guess`: what a wrong value was meant to be, of which the file knows more. `before`: what has
 * to be in the file before a value such as the example is right. `literal`: it is read before the run, and
 * holds no expressions.
 */
type Checked = {
  value: unknown;
  schema: z.ZodType;
  base: Path;
  of: string;
  locate: Locate;
  example?: Readonly<Record<string, unknown>>;
  guess?: (schema: z.ZodType, value: Json) => Json | undefined;
  before?: (schema: z.ZodType) => string | undefined;
  literal?: true;
  /** Of what may have several forms, the one that is asked about. */
  form?: { path: readonly PropertyKey[]; schema: z.ZodType };
};

/** What else is known of an issue: the field that an unknown one stands for; whether it is about which fields there are. */
type Found = Finding & { standsFor?: string; aboutFields?: true };

/**
 * Findings of a value against a schema. An expression is taken to be of the right type here, since its value is
 * known only in the run; text around an expression is text.
 */
export function check(checked: Checked): Finding[] {
  const result = checked.schema.safeParse(checked.value);
  if (result.success) return [];
  const found = result.error.issues.flatMap((issue) => toFindings(issue, [], checked));
  return withoutLacking(distinct(found)).map(({ code, message, path, line, column, remedy, corrected }) => ({
    code,
    message,
    path,
    line,
    column,
    ...(remedy === undefined ? {} : { remedy }),
    ...(corrected === undefined ? {} : { corrected }),
  }));
}

/** One mistake, one finding: what a misspelt field would bring is not missing as well. */
function distinct(found: readonly Found[]): Found[] {
  const meantFields = found.flatMap(({ standsFor }) => standsFor ?? []);
  return found.filter(({ code, path, aboutFields }) =>
    aboutFields
      ? !meantFields.some((field) => field === path || ownerOf(field) === path)
      : code !== 'missing-field' || !meantFields.includes(path),
  );
}

/** The same for the one field of an owner whose name is not known here: it may be the one that the owner lacks. */
function withoutLacking(found: readonly Found[]): Found[] {
  const inOwner = (path: string, like: Finding['code']): number =>
    found.filter((each) => each.code === like && each.standsFor === undefined && ownerOf(each.path) === path).length;
  return found.filter(({ code, path, aboutFields }) => {
    if (aboutFields) return inOwner(ownerOf(path), 'unknown-field') + inOwner(path, 'unknown-field') === 0;
    return code !== 'missing-field' || inOwner(ownerOf(path), code) !== 1 || inOwner(ownerOf(path), 'unknown-field') !== 1;
  });
}

function toFindings(issue: Issue, before: readonly PropertyKey[], checked: Checked): Found[] {
  const path = [...before, ...issue.path];
  if (issue.code !== 'invalid_key' && mayBeRight(issue, path, checked)) return [];
  if (issue.code === 'invalid_union' && present(checked.value, path)) return unionFindings(issue, path, checked);
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownField(key, path, checked));
  if (issue.code === 'invalid_key' || issue.code === 'invalid_element')
    return issue.issues.flatMap((inner) => [invalidName(String(issue.path.at(-1)), inner.message, path, checked)]);
  // A rule over several fields may name one that is absent.
  if (!present(checked.value, path) && issue.code !== 'custom') return [missing(path, checked)];
  const value = reach(checked.value, path);
  if (issue.code === 'custom' || issue.code === 'invalid_format')
    return [
      {
        ...wrong('invalid-value', `${name(path, checked)}: ${ruleOf(issue)}`, path, checked, issue),
        ...(isAboutFields(issue) ? { aboutFields: true } : {}),
      },
    ];
  if (issue.code === 'invalid_type' || issue.code === 'invalid_value' || issue.code === 'invalid_union')
    return [
      wrong(
        issue.code === 'invalid_value' ? 'invalid-value' : 'wrong-type',
        `${name(path, checked)} is ${kindOf(value)}${saidOf(issue) ?? `, expected ${expected(issue, at(checked.schema, path))}`}`,
        path,
        checked,
      ),
    ];
  return [wrong('invalid-value', `${name(path, checked)} is ${kindOf(value)}: ${ruleOf(issue)}`, path, checked)];
}

/** What a schema says of one wrong value of a list of words; every other has the words of the library. */
const saidOf = ({ code, message }: Issue): string | undefined =>
  code === 'invalid_value' && !message.startsWith('Invalid ') ? `: ${message}` : undefined;

const present = (value: unknown, path: readonly PropertyKey[]): boolean => {
  const parent = reach(value, path.slice(0, -1));
  return path.length === 0 || (parent !== null && typeof parent === 'object' && Object.hasOwn(parent, path.at(-1)!));
};

/** A value as the example of a step shows it. */
const example = (path: readonly PropertyKey[], { example: of, schema }: Checked): string | undefined => {
  const names = path.map((key, index) => {
    const owner = at(schema, path.slice(0, index));
    // Names that a user chooses have another in the example.
    return owner && def(bare(owner)).type === 'record'
      ? (Object.keys((reach(of, path.slice(0, index)) as object | undefined) ?? {})[0] ?? key)
      : key;
  });
  const value = reach(of, names) as Json | undefined;
  return value === undefined ? undefined : written(value, false);
};

/** A value as the words about its kind show it: `90s` of `a duration such as 90s, 30m`; undefined where they show none. */
const sample = (schema: z.ZodType): string | undefined => {
  const shown = / such as ([^\s,]+)/.exec(expected(undefined, schema))?.[1];
  return shown === undefined ? undefined : written(shown, false);
};

const missing = (path: readonly PropertyKey[], checked: Checked): Found => {
  const field = String(path.at(-1) ?? '');
  const owner = path.length > 1 ? `${name(path.slice(0, -1), checked)} of ${checked.of}` : checked.of;
  const schema = at(checked.schema, path);
  const of = example(path, checked);
  const rule = of === undefined && schema ? remedyOf(bare(schema), undefined) : undefined;
  const shown = of ?? (schema && (sample(schema) ?? expected(undefined, schema)));
  return {
    ...finding('missing-field', `${owner} needs the field '${field}'`, path, checked, 'owner'),
    remedy: rule ?? (shown === undefined ? `add the field ${field}` : `add a line such as ${field}: ${shown}${beforeIt(schema, checked)}`),
  };
};

const beforeIt = (schema: z.ZodType | undefined, { before }: Checked): string => {
  const needed = schema && before?.(schema);
  return needed === undefined ? '' : `; ${needed}`;
};

function unknownField(key: string, path: readonly PropertyKey[], checked: Checked): Found {
  const { form } = checked;
  const whole = at(checked.schema, path);
  const schema =
    form && formatPath(form.path as Path) === formatPath(path as Path) ? form.schema : whole && formOf(whole, reach(checked.value, path));
  const parent = path.findLast((part) => typeof part === 'string');
  const owner =
    parent === undefined
      ? checked.of
      : checked.base.length > 0
        ? `'${path.map(String).join('.')}' of ${checked.of}`
        : path.at(-2) === 'steps'
          ? 'a step'
          : `'${parent}'`;
  const known = Object.keys((schema && fields(schema)) ?? {}).filter((field) => !present(checked.value, [...path, field]));
  const full = [...path, key];
  const meantField = nearest(key, known) ?? (Object.hasOwn(instead, key) ? undefined : inOurWords(key, known));
  if (meantField === undefined)
    return {
      ...finding('unknown-field', `'${key}' is not a field of ${owner}${suggestion(key, known)}`, full, checked, 'key'),
      remedy:
        instead[`${parent}.${key}`] ??
        instead[key] ??
        (known.length === 0 ? 'leave it out: there are no other fields' : 'take one of these, or leave it out'),
    };
  const value = reach(checked.value, full);
  const fits = holdsExpression(value) || ((schema && at(schema, [meantField]))?.safeParse(value).success ?? true);
  return {
    ...finding('unknown-field', `'${key}' is not a field of ${owner}; did you mean '${meantField}'?`, full, checked, 'key'),
    ...help(checked.locate, [...checked.base, ...(full as Path)], { key: fits ? meantField : undefined }),
    standsFor: formatPath([...checked.base, ...(path as Path), meantField]),
  };
}

/** Of a schema with several forms, the one of which a value has every field that it needs. */
function formOf(schema: z.ZodType, value: unknown): z.ZodType {
  const has = ([field, of]: [string, z.ZodType]): boolean => present(value, [field]) || of.safeParse(undefined).success;
  return def(bare(schema)).options?.find((option) => Object.entries(fields(option) ?? { '': option }).every(has)) ?? schema;
}

/** A name that expressions cannot refer to; another one is shown where it is right, and not taken. */
function invalidName(key: string, rule: string, path: readonly PropertyKey[], checked: Checked): Found {
  const words = key.split(/[^A-Za-z0-9_]+/).filter(Boolean);
  const camel = words.map((word, index) => (index === 0 ? word : word[0]!.toUpperCase() + word.slice(1))).join('');
  const owner = path.slice(0, -1);
  const names = at(checked.schema, owner);
  const fits = (names && def(bare(names)).keyType)?.safeParse(camel).success === true && !present(checked.value, [...owner, camel]);
  return {
    ...finding('invalid-name', `'${key}': ${rule}`, path, checked, 'key'),
    ...help(checked.locate, [...checked.base, ...(path as Path)], { key: fits ? camel : undefined }, 'give it another name'),
  };
}

/** Findings of the alternative that was most likely meant: fewest problems, those of names counting most. */
function unionFindings(issue: Issue & { code: 'invalid_union' }, path: readonly PropertyKey[], checked: Checked): Found[] {
  const branches = issue.errors.map((issues, branch) => {
    const form = def(bare(at(checked.schema, path) ?? checked.schema)).options?.[branch];
    return distinct(issues.flatMap((inner) => toFindings(inner, path, { ...checked, ...(form && { form: { path, schema: form } }) })));
  });
  const value = reach(checked.value, path);
  const meantForm = forms.get(bare(at(checked.schema, path) ?? checked.schema))?.of(value);
  if (meantForm !== undefined && value !== null && typeof value === 'object' && !Array.isArray(value)) return branches[meantForm]!;
  if (branches.some((branch) => branch.length === 0)) return [];
  if (value === null || typeof value !== 'object')
    return [
      wrong(
        'wrong-type',
        `${name(path, checked)} is ${kindOf(value)}, expected ${expected(issue, at(checked.schema, path))}`,
        path,
        checked,
      ),
    ];
  // A form of another kind was not meant: a text, or one of several words, where fields or a list are given.
  const kindred = branches.filter(
    (_, at) =>
      !issue.errors[at]!.some(({ code, path: inner }) => (code === 'invalid_type' || code === 'invalid_value') && inner.length === 0),
  );
  const best = (kindred.length > 0 ? kindred : branches).toSorted((a, b) => weight(a) - weight(b))[0];
  const foreign =
    best?.some(({ code }) => code === 'missing-field') &&
    best.some(({ code, standsFor }) => code === 'unknown-field' && standsFor === undefined);
  if (best && !foreign) return best;
  const known = expected(undefined, at(checked.schema, path));
  return [wrong('wrong-type', `${name(path, checked)} has the fields ${Object.keys(value).join(', ')}, expected ${known}`, path, checked)];
}

const weights: Readonly<Record<string, number>> = { 'unknown-field': 4, 'missing-field': 2 };
const weight = (branch: Found[]): number =>
  branch.reduce((sum, { code, standsFor }) => sum + (weights[code] ?? 1) - (standsFor === undefined ? 0 : 2), 0);

const name = (path: readonly PropertyKey[], checked: Checked): string =>
  path.length === 0
    ? checked.base.length === 0
      ? checked.of
      : `'${String(checked.base.at(-1))}' of ${checked.of}`
    : `'${formatPath(path.map((part) => (typeof part === 'symbol' ? String(part) : part)))}'`;

/** Of a file that is something else as a whole: a table, a list, a text. */
const noFile = 'name a pipeline, which has name: and steps:; for a table of yours portolan init --from TABLE writes one';

/** A value that cannot be: with the line as it was meant, where that can be known, else with what to write. */
function wrong(code: FindingCode, message: string, path: readonly PropertyKey[], checked: Checked, issue?: Issue): Found {
  const full = [...checked.base, ...(path as Path)];
  const said: unknown = issue?.code === 'custom' ? issue.params?.['remedy'] : full.length === 0 ? noFile : undefined;
  if (typeof said === 'string') return { ...finding(code, message, path, checked), remedy: said };
  const schema = at(checked.schema, path);
  const value = reach(checked.value, path) as Json | undefined;
  const rule = schema && remedyOf(bare(schema), value);
  const early = checked.literal === true && typeof value === 'string' && hasExpression(value);
  const by =
    early || rule !== undefined || schema === undefined || value === undefined || schema.safeParse(value).success
      ? undefined
      : (checked.guess?.(schema, value) ?? meant(schema, value));
  const field = typeof path.at(-1) === 'string' ? `${String(path.at(-1))}: ` : '';
  return {
    ...finding(code, early ? `${name(path, checked)} is read before the run, and holds no expression` : message, path, checked),
    ...help(
      checked.locate,
      full,
      { value: by },
      rule ?? (by === undefined ? toWrite(path, checked, field) : `write ${field}${written(by, false)}`),
    ),
  };
}

/** What to write where nobody knows what was meant; `field`: its name with a colon. Nothing of a file as a whole. */
function toWrite(path: readonly PropertyKey[], checked: Checked, field: string): string | undefined {
  const schema = at(checked.schema, path);
  const before = beforeIt(schema, checked);
  // Of several words each means something else: that of the example is no likelier than the others.
  const shown = schema && wordsOf(bare(schema)) ? undefined : example(path, checked);
  if (shown !== undefined) return `write ${field}${shown}${before}`;
  if (path.length === 0 || schema === undefined) return undefined;
  const some = sample(schema);
  return some === undefined ? `write ${field}${expected(undefined, schema)}${before}` : `write for example ${field}${some}${before}`;
}

function finding(
  code: FindingCode,
  message: string,
  path: readonly PropertyKey[],
  { base, locate }: Checked,
  where: 'key' | 'owner' | 'value' = 'value',
): Found {
  const full = [...base, ...(path as Path)];
  const position = where === 'value' ? locate.value(full) : locate.key(where === 'owner' ? full.slice(0, -1) : full);
  return { code, message, path: formatPath(full), ...position };
}
