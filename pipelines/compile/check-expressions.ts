import type { z } from 'zod';
import { explain } from '../expressions/explain.ts';
import { meantCode, outsideTexts } from '../expressions/meant.ts';
import { checkExpression, references } from '../expressions/references.ts';
import { closing, isExact, split } from '../expressions/scan.ts';
import { nearest } from '../../text/nearest.ts';
import { expressionsIn } from '../file/embedded-expressions.ts';
import type { Finding, Path } from '../file/findings.ts';
import { at, bare, def } from '../file/schema-fields.ts';
import { checkReferences } from './check-references.ts';
import { misfit, misfitOfType, otherId } from './fits.ts';
import { fitting } from './fitting.ts';
import { schemaOf, type Names } from './names.ts';
import { findingAt, type Checks, type Place } from './place.ts';

/**
 * Findings of every expression in a value, and the steps and parameters that it refers to, each once. `takes`: what the value is
 * given to; an expression alone must give what is taken there.
 */
export function checkExpressions(
  value: unknown,
  base: Path,
  checks: Checks,
  takes?: z.ZodType,
): { findings: Finding[]; needs: string[]; params: string[] } {
  const findings: Finding[] = [];
  const needs = new Set<string>();
  const params = new Set<string>();
  for (const { text, path } of expressionsIn(value)) {
    const place = { text, path: [...base, ...path] };
    const taken = takes && at(takes, path);
    const wrong = wrongSyntax(place, checks, taken);
    if (wrong) {
      findings.push(wrong);
      continue;
    }
    const used = references(text);
    for (const { id } of used.steps) if (checks.names.steps.has(id)) needs.add(id);
    for (const { name } of used.params) for (const each of name === undefined ? checks.names.params.keys() : [name]) params.add(each);
    const brace = extraBrace(place, checks);
    const unknown = brace ? [brace] : checkReferences(place, used, checks, (text) => isRight({ ...place, text }, checks, taken));
    findings.push(...(unknown.length > 0 ? unknown : wrongTypes(place, checks, taken)));
  }
  return { findings, needs: [...needs], params: [...params] };
}

/** An expression that stands alone but for a brace behind it. */
function extraBrace(place: Place, { locate }: Checks): Finding | undefined {
  const { text } = place;
  const [expression, rest, more] = split(text.trim());
  if (expression?.kind !== 'expression' || rest?.kind !== 'text' || more !== undefined || !/^\}+$/.test(rest.text)) return undefined;
  const by = text.trim().slice(0, expression.end);
  return findingAt(place, locate, {
    code: 'bad-expression',
    message: 'an expression ends with two braces, not more',
    offset: text.indexOf(by) + by.length,
    by,
    remedy: `write ${by}`,
  });
}

/** True of a text that would have no finding of its own in this place. */
const isRight = ({ text, path }: Place, checks: Checks, taken: z.ZodType | undefined): boolean => {
  const { typed, names } = checks;
  if (checkExpression(text, names.items) !== undefined) return false;
  const { steps, params } = references(text);
  return (
    steps.every(({ id }) => names.steps.has(id)) &&
    params.every(({ name }) => name === undefined || names.params.has(name)) &&
    split(text).every((segment) => segment.kind === 'text' || 'type' in typed(segment.code)) &&
    wrongValue({ text, path }, checks, taken) === undefined
  );
};

/** Roots of other tools. */
const roots: Readonly<Record<string, string>> = {
  param: 'params',
  inputs: 'params',
  input: 'params',
  env: 'params',
  vars: 'params',
  var: 'params',
  variables: 'params',
  parameters: 'params',
  args: 'params',
  step: 'steps',
  jobs: 'steps',
  tasks: 'steps',
  needs: 'steps',
  nodes: 'steps',
};

/** Names with hyphens, which expressions read as minus signs, as they are to be called. */
const hyphened = (text: string, { params, steps }: Checks['names']): string[] => {
  const camel = (name: string): string => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const names = [...params.keys(), ...steps.keys()].filter((name) => name.includes('-') && text.includes(name));
  // One name may be the beginning of another.
  const longFirst = names.toSorted((a, b) => b.length - a.length);
  const renamed = (part: string): string => longFirst.reduce((result, name) => result.replaceAll(name, camel(name)), part);
  return names.length === 0 ? [] : [inCode(text, (code) => outsideTexts(code, renamed))];
};

/** A text with every expression changed: what stands around them is not code. */
const inCode = (text: string, change: (code: string) => string): string =>
  split(text).reduceRight(
    (made, each) => (each.kind === 'text' ? made : made.slice(0, each.codeStart) + change(each.code) + made.slice(each.end - 2)),
    text,
  );

/** A text with another name in every place where an expression begins with one: the last place first. */
const withRoot = (text: string, name: string, by: string): string =>
  references(text)
    .items.filter((each) => each.name === name)
    .toSorted((a, b) => b.offset - a.offset)
    .reduce((made, { offset }) => made.slice(0, offset) + by + made.slice(offset + name.length), text);

/** Other ways of writing a name that no expression begins with. */
const otherRoots = (text: string, name: string, { names }: Checks): string[] => {
  return [
    ...(names.steps.has(name) ? [withRoot(text, name, `steps.${name}`)] : []),
    ...(names.params.has(name) ? [withRoot(text, name, `params.${name}`)] : []),
    ...[roots[name], nearest(name, ['params', 'steps', 'run', ...names.items])].flatMap((root) =>
      root === undefined ? [] : [withRoot(text, name, root)],
    ),
    ...hyphened(text, names),
  ];
};

/** What was most likely meant by a text whose expression cannot be read. */
function meantText(
  { text, path }: Place,
  offset: number,
  name: string | undefined,
  checks: Checks,
  taken: z.ZodType | undefined,
): string | undefined {
  const right = (candidate: string): boolean => isRight({ text: candidate, path }, checks, taken);
  if (name !== undefined) {
    const renamed = otherRoots(text, name, checks).find(right);
    if (renamed !== undefined) return renamed;
  }
  const start = text.lastIndexOf('${{', offset);
  if (start < 0) return undefined;
  const end = closing(text, start + 3);
  if (end < 0) return unclosed(text, start).find(right);
  const by = meantCode(text.slice(start + 3, end - 2), (code) => right(text.slice(0, start + 3) + code + text.slice(end - 2)));
  return by === undefined ? undefined : text.slice(0, start + 3) + by + text.slice(end - 2);
}

/** An expression that never ends, with its end: what is behind the last brace, or the whole rest, belongs to it. */
function unclosed(text: string, start: number): string[] {
  const head = text.slice(0, start + 3);
  const code = text.slice(start + 3).replace(/\s*\}?\s*\}?\s*$/, '');
  const quotes = ['"', "'"].filter((quote) => (code.split(quote).length - 1) % 2 === 1);
  const inside = quotes.flatMap((quote) =>
    Array.from({ length: code.length }, (_, at) => `${head}${code.slice(0, code.length - at)}${quote}${code.slice(code.length - at)} }}`),
  );
  return [`${head}${code} }}`, ...inside];
}

function wrongSyntax(place: Place, checks: Checks, taken: z.ZodType | undefined): Finding | undefined {
  const error = checkExpression(place.text, checks.names.items);
  if (error === undefined) return undefined;
  const { message, remedy } = explain(error.message);
  const name = /^unknown name '(\w+)'/.exec(error.message)?.[1];
  const by = meantText(place, error.offset, name, checks, taken);
  return findingAt(place, checks.locate, { code: 'bad-expression', message, offset: error.offset, remedy, by });
}

/** Types that do not go together in an expression, and a value of another type than is taken. */
function wrongTypes(place: Place, checks: Checks, taken: z.ZodType | undefined): Finding[] {
  const { text } = place;
  const found = split(text).flatMap((segment): Finding[] => {
    if (segment.kind === 'text') return [];
    const typed = checks.typed(segment.code);
    if (!('error' in typed)) return [];
    const { message, remedy } = explain(typed.error.message);
    const offset = segment.codeStart + typed.error.offset;
    const by = meantText(place, offset, undefined, checks, taken);
    return [findingAt(place, checks.locate, { code: 'bad-expression', message, offset, remedy, by })];
  });
  const wrong = found.length > 0 ? undefined : wrongValue(place, checks, taken);
  return wrong ? [findingAt(place, checks.locate, wrong)] : found;
}

/** What is wrong with the value of an expression that stands alone. */
function wrongValue(
  { text, path }: Place,
  { typed, names }: Checks,
  taken: z.ZodType | undefined,
): Parameters<typeof findingAt>[2] | undefined {
  const [segment] = isExact(text) ? split(text.trim()) : [];
  if (segment?.kind !== 'expression') return undefined;
  const code = segment.code.trim();
  const result = typed(code);
  if ('error' in result) return undefined;
  const offset = text.indexOf(code);
  if (result.type.startsWith('optional'))
    return { code: 'wrong-type', message: `${code} may be nothing`, offset, remedy: `end it with .orValue(…)` };
  if (taken === undefined) return undefined;
  const given = schemaOf(code, names);
  const why = given
    ? (misfit(given, taken) ?? (isBuiltIn(code, names) ? otherId(given, taken) : undefined))
    : misfitOfType(result.type, taken);
  if (why === undefined) return undefined;
  const fit = fitting(code, taken, names, path);
  // A condition on the value was meant: another output would be another condition.
  if (def(bare(taken)).type === 'boolean')
    return {
      code: 'wrong-type',
      message: `${code} is ${why}`,
      offset,
      remedy: `write a condition${/^(int|double)$/.test(result.type) ? `, such as \${{ ${code} > 0 }}` : ''}${fit.length === 0 ? '' : `; true or false is ${fit.join(', ')}`}`,
    };
  return {
    code: 'wrong-type',
    message: `${code} is ${why}`,
    offset,
    remedy: fit.length === 0 ? 'take another output, or a step that gives it' : `it fits: ${fit.join(', ')}`,
    ...(fit.length > 0 ? { by: `\${{ ${fit[0]} }}` } : {}),
  };
}

/** Outputs of built-in steps say what they are the id of; those of others may be any id. */
const isBuiltIn = (code: string, { steps }: Names): boolean => {
  const step = code.startsWith('steps.') ? steps.get(code.split('.')[1]!) : undefined;
  return step !== undefined && step.own === undefined && step.name !== 'api.call';
};
