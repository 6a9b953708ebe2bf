import { z } from 'zod';
import { isExact } from '../expressions/scan.ts';
import { suggestion, nearest } from '../../text/nearest.ts';
import type { Json } from '../../text/json.ts';
import { formatPath, help, type Finding, type Locate, type Path } from '../file/findings.ts';
import { fields, withDefaults } from '../file/schema-fields.ts';
import { check } from '../file/schema-findings.ts';
import { checkOperation, typed } from '../own/operation-step.ts';
import type { StepOrLoop } from '../step.ts';
import { loop } from '../steps/loop.ts';
import type { FlatStep } from '../file/flat-steps.ts';
import type { AnalysedStep } from './analysed-step.ts';
import { giverOf, guessId } from './ids-taken.ts';
import { checkExpressions } from './check-expressions.ts';
import type { Fold } from './fold.ts';
import { addressProblem } from '../source-address.ts';
import { isAddress } from '../source-name.ts';
import type { Checks } from './place.ts';
import { checkPlainTexts } from './plain-texts.ts';
import type { Pipelines } from './sub-pipelines.ts';
import { checkRetries, reactionsOf } from './reactions.ts';
import { statedEnds, statedNeeds } from './stated-needs.ts';
import { checkTolerate } from './tolerate.ts';
import { checkWindow } from './check-window.ts';

/** `wrong`: what was found in the file as such; `values`: places of values, where parameters were put in; `unusable`: pipelines that cannot be run. */
type World = {
  table: Readonly<Record<string, StepOrLoop>>;
  unusable: Pipelines['unusable'];
  checks: Checks;
  values: Locate;
  fold: Fold;
  wrong: readonly Finding[];
};

/** One step against its definition; without a `step` where its type is unknown. `refers`: steps that it reads, wherever they stand. */
export function checkStep(
  flat: FlatStep,
  { table, unusable, checks, values, fold, wrong }: World,
): { findings: Finding[]; params: string[]; refers: string[]; step?: AnalysedStep } {
  const { names, locate } = checks;
  const { id, file: step, path: place, input: base } = flat;
  const definition = names.steps.get(id);
  const { findings, needs: referred, params } = checkExpressions(step.with, base, checks, definition?.input);
  const when = checkWhen(flat, checks);
  findings.push(...when.findings, ...checkNeeds(flat, checks));
  params.push(...when.params);
  const refers = [...new Set([...referred, ...when.needs])];
  if (definition === undefined) return { findings: [unknownStep(flat, table, unusable, checks), ...findings], params, refers };

  const folded = fold(step.with as Json, base) as { [name: string]: Json };
  const plain = checkPlainTexts(step.with, base, checks);
  // What an expression gives, and what a text was meant to be, is said once.
  const known = [...findings, ...plain];
  const operation = checkOperation(definition, folded, base, values);
  // An input that cannot be read, or that stands beside `with`, would be missing field by field.
  const misplaced = wrong.some(
    ({ code, path }) =>
      path === formatPath(base) || (code === 'unknown-field' && mayBeInput(path, formatPath(place), step.with, definition.input)),
  );
  if (!misplaced)
    findings.push(
      ...(operation.length > 0
        ? operation
        : check({
            value: folded,
            schema: definition.input,
            base,
            of: step.use,
            locate: values,
            example: definition.example,
            guess: (schema, value) => guessId(schema, value, names, place.at(-1)),
            before: (schema) => giverOf(schema, { names, table, own: place.at(-1) }),
          })
      ).filter((each) => !known.some(({ path, line, column }) => path === each.path || (line === each.line && column === each.column))),
    );
  const condition = step.when === undefined ? {} : { when: fold(step.when, [...place, 'when']) as string | boolean };
  if (definition.name === loop.name && !misplaced) findings.push(...checkWindow(folded, condition.when ?? true, base, values));
  findings.push(
    ...plain,
    ...checkTolerate(flat, definition, locate),
    ...checkRetries(flat, locate),
    ...checkAddresses(folded, definition, base, values),
  );
  if (step.window !== undefined && definition.kind !== 'sweep')
    findings.push({
      code: 'invalid-value',
      message: `'window' is for steps that work in chunks; ${step.use} does not`,
      path: formatPath([...place, 'window']),
      remedy: 'take the line out',
      ...locate.key([...place, 'window']),
    });
  return {
    findings,
    params,
    refers,
    step: {
      ...flat,
      definition: typed(definition, folded),
      with: withDefaults(definition.input, folded) as Json,
      ...condition,
      needs: statedNeeds(step).filter((needed) => names.siblings.has(needed)),
      accepts: statedEnds(step),
      ...reactionsOf(step.onError),
    },
  };
}

/** Addresses of files that cannot be fetched as they are written. */
const checkAddresses = (input: { [name: string]: Json }, { paths = [] }: StepOrLoop, base: Path, locate: Locate): Finding[] =>
  paths.flatMap((field): Finding[] => {
    const value = input[field];
    const tables = (value as { tables?: { [table: string]: Json } } | null | undefined)?.tables ?? {};
    return [[field, value] as const, ...Object.entries(tables).map(([table, file]) => [`${field}.tables.${table}`, file] as const)].flatMap(
      ([at, file]): Finding[] => {
        const wrong = typeof file === 'string' && isAddress(file) ? addressProblem(file) : undefined;
        if (!wrong) return [];
        const place = [...base, ...at.split('.')];
        return [{ code: 'bad-source', ...wrong, path: formatPath(place), ...locate.value(place) }];
      },
    );
  });

/** A field of a step that is one of its input's, or that stands for `with` where there is none. */
const mayBeInput = (path: string, owner: string, input: object, takes: z.ZodType): boolean => {
  const [, field] = path.startsWith(`${owner}.`) ? (/^(\w+)$/.exec(path.slice(owner.length + 1)) ?? []) : [];
  return field !== undefined && (Object.keys(input).length === 0 || Object.hasOwn(fields(takes) ?? {}, field));
};

/** A field that stands beside `with` and is one of the step's input, with the place where it belongs. */
export function inWith(finding: Finding, steps: readonly AnalysedStep[]): Finding {
  if (finding.code !== 'unknown-field' || finding.corrected !== undefined) return finding;
  for (const { path, file, definition, loop: turns } of steps) {
    if (turns) continue;
    const field = finding.path.slice(formatPath(path).length + 1);
    if (finding.path === formatPath([...path, field]) && Object.hasOwn(fields(definition.input) ?? {}, field))
      return {
        ...finding,
        message: `'${field}' of ${file.use} stands under with:, not beside it`,
        remedy: 'write it, with its lines, below with:',
      };
  }
  return finding;
}

/** `when` gives true or false. */
function checkWhen({ path, file: { when } }: FlatStep, checks: Checks): ReturnType<typeof checkExpressions> {
  const base = [...path, 'when'];
  const found = checkExpressions(when ?? true, base, checks, z.boolean());
  if (typeof when !== 'string' || isExact(when) || found.findings.length > 0) return found;
  return {
    ...found,
    findings: [
      {
        code: 'wrong-type',
        message: '`when` is one expression that gives true or false',
        path: formatPath(base),
        remedy: 'write one expression, such as ${{ params.full }}',
        ...checks.locate.value(base),
      },
    ],
  };
}

const checkNeeds = ({ id, file: step, path: place }: FlatStep, { names, locate }: Checks): Finding[] =>
  statedNeeds(step).flatMap((needed, index): Finding[] => {
    const listed = Array.isArray(step.needs);
    const path = [...place, 'needs', listed ? index : needed];
    if (needed === id)
      return [
        {
          code: 'cycle',
          message: `step '${id}' waits for itself`,
          path: formatPath(path),
          ...(listed ? locate.value(path) : locate.key(path)),
          remedy: 'take it out, or name the step that is meant',
        },
      ];
    if (names.siblings.has(needed)) return [];
    const known = [...names.siblings];
    const near = nearest(needed.replace(/^steps\./, ''), known);
    return [
      {
        code: 'no-such-step',
        message: names.steps.has(needed)
          ? `'${needed}' does not stand beside this step: each turn begins when it has ended, where the loop refers to it or needs it`
          : `there is no step '${needed}'${suggestion(needed, known)}`,
        path: formatPath(path),
        ...(listed ? locate.value(path) : locate.key(path)),
        ...help(locate, path, listed ? { value: near } : { key: near }, 'take the id of a step of this file'),
      },
    ];
  });

function unknownStep(
  { path: place, file: { use } }: FlatStep,
  table: Readonly<Record<string, StepOrLoop>>,
  unusable: Pipelines['unusable'],
  { locate }: Checks,
): Finding {
  const known = Object.keys(table);
  const path = [...place, 'use'];
  const used = unusable.get(use);
  if (used)
    return {
      code: 'no-such-pipeline',
      message: used.problem,
      path: formatPath(path),
      ...locate.value(path),
      ...help(locate, path, { value: used.meant }, used.remedy),
    };
  // A file that is named without its folder is taken for a step.
  const file = /^[^/].*\.(ya?ml|json|m?ts|m?js)$/.test(use) ? `./${use}` : undefined;
  const near = file ?? known.find((name) => name.endsWith(`.${use}`)) ?? nearest(use.replaceAll(/[-_:/ ]/g, '.'), known);
  const alike = known.filter((name) => name.split('.')[0] === use.split('.')[0]);
  return {
    code: 'unknown-step',
    message: `there is no step type '${use}'${near === undefined ? suggestion(use, alike.length > 0 ? alike : known) : `; did you mean '${near}'?`}`,
    path: formatPath(path),
    ...locate.value(path),
    ...help(locate, path, { value: near }),
  };
}
