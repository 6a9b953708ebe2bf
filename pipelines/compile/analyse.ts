import { references, stepsIn } from '../expressions/references.ts';
import { createTypedCheck } from '../expressions/typed.ts';
import { byPosition, type Finding } from '../file/findings.ts';
import { lenient } from '../file/lenient.ts';
import type { Parsed } from '../file/parse.ts';
import { check } from '../file/schema-findings.ts';
import { pipelineFile, type PipelineFile } from '../file/schema.ts';
import { typed } from '../own/operation-step.ts';
import { together } from '../file/together.ts';
import { locateWritten } from './where-written.ts';
import type { Json } from '../../text/json.ts';
import type { Step } from '../step.ts';
import type { AnalysedStep } from './analysed-step.ts';
import { checkAbsent } from './check-absent.ts';
import { checkApprovals, checkIdleGates, followGates } from './approvals.ts';
import { celTypes } from './cel-types.ts';
import { checkColumnNames } from './check-column-names.ts';
import { checkExpressions } from './check-expressions.ts';
import { checkResultColumns } from './check-result-columns.ts';
import { checkStep } from './check-step.ts';
import { checkOrder, followWriters } from './dependencies.ts';
import { isOf } from './consequences.ts';
import { createFold } from './fold.ts';
import { findMisplaced, type Misplaced } from './misplaced.ts';
import type { Names } from './names.ts';
import { resolveParams } from './params.ts';
import type { Checks } from './place.ts';
import { checkPlainTexts } from './plain-texts.ts';

export type AnalyseOptions = {
  /** Every step there is, by name. */
  steps: Readonly<Record<string, Step>>;
  /** Values of parameters by name; text is read by the type of the parameter. */
  params?: Readonly<Record<string, unknown>>;
  /** Folder that relative paths resolve against. */
  baseDir: string;
};

export type Analysis = {
  file: PipelineFile;
  steps: AnalysedStep[];
  params: { [name: string]: Json };
  required: string[];
  outputs: { [name: string]: Json };
  concurrency: string | null | undefined;
};

/** Checks a file as a whole. `analysis` is there where nothing was found; every part that can be checked is. */
export function analyse(parsed: Parsed, options: AnalyseOptions): { findings: Finding[]; analysis?: Analysis } {
  if (parsed.value === undefined) return { findings: parsed.findings };
  const { locate } = parsed;
  const findings = check({
    value: parsed.value,
    schema: pipelineFile,
    base: [],
    of: 'a pipeline',
    locate,
    example: exampleFile,
    literal: true,
  });
  const file = lenient(parsed.value);
  const params = resolveParams(file.params, options.params ?? {}, options.baseDir, locate);
  const misplaced = findMisplaced(parsed.value, locate);
  const names = namesOf(parsed.value, file, options.steps, misplaced);
  const checks: Checks = { names, typed: createTypedCheck(celTypes(names)), locate };
  const fold = createFold(params.values, locate, (finding) => findings.push(finding));

  const values = locateWritten(locate, { value: parsed.value, given: Object.keys(options.params ?? {}) });
  const analysed = Object.entries(file.steps).map(([id, step]) =>
    checkStep(id, step, { table: options.steps, checks, values, fold, wrong: [...parsed.findings, ...findings] }),
  );
  const steps = analysed.flatMap(({ step }) => step ?? []);
  followWriters(steps);
  followGates(steps);
  const outputs = checkExpressions(file.outputs, ['outputs'], checks);
  const concurrency = checkConcurrency(file, checks);
  const used = [...analysed, outputs, concurrency].flatMap((each) => each.params);
  findings.push(
    ...params.findings,
    ...analysed.flatMap((each) => each.findings),
    ...outputs.findings,
    ...checkPlainTexts(file.outputs, ['outputs'], checks),
    ...concurrency.findings,
  );
  // A step that waits for the wrong one may wait for its gate when it is put right.
  const waitsWrong = (path: string): boolean =>
    findings.some(
      (each) =>
        each.path.startsWith(`${path}.needs`) ||
        (each.code === 'unknown-field' && /^steps\.\w+\.\w+$/.test(each.path) && each.path.startsWith(`${path}.`)),
    );
  findings.push(...checkApprovals(steps, [...names.steps.keys()], parsed).filter(({ path }) => !waitsWrong(path.split('.', 2).join('.'))));
  const broken = (id: string): boolean => findings.some(({ path }) => path.startsWith(`steps.${id}.`));
  findings.push(...checkResultColumns(steps, locate, broken));
  findings.push(...checkColumnNames(steps, locate, { broken }));
  // Steps in a circle may be the consequence of a reference that is wrong otherwise.
  if (findings.length === 0) findings.push(...checkOrder(steps, parsed));
  if (findings.length === 0) findings.push(...checkIdleGates(steps, stepsIn(file.outputs), parsed));
  if (findings.length === 0) findings.push(...checkAbsent(steps, file.outputs, locate));
  if (findings.length === 0 && parsed.findings.length === 0) findings.push(...unusedParams(file, used, parsed));
  const folded = fold(file.outputs as Json, ['outputs']) as Analysis['outputs'];
  const key = typeof file.concurrency === 'string' ? fold(file.concurrency, ['concurrency']) : file.concurrency;
  const held = key === undefined || key === null || typeof key === 'string' ? key : JSON.stringify(key);

  // What cannot be read is no value: a second finding at its place would be about that.
  const own = findings.filter(
    (finding) => !parsed.findings.some((unread) => isOf(finding, unread)) && !misplaced.some(({ hides }) => hides(finding)),
  );
  const all = together([...parsed.findings, ...misplaced.map(({ finding }) => finding), ...own].sort(byPosition), locate);
  return all.length > 0
    ? { findings: all }
    : { findings: all, analysis: { file, steps, params: params.values, required: params.required, outputs: folded, concurrency: held } };
}

/** From it fields are shown that a file lacks. */
const exampleFile = {
  name: 'ingest',
  description: 'Put films on a map',
  params: { source: { type: 'path', default: 'data/movies.json', description: 'Any table' } },
  connection: 'prod',
  steps: {
    rows: {
      use: 'dataset.append',
      with: { dataset: '${{ steps.dataset.id }}' },
      needs: ['dataset'],
      when: '${{ params.full }}',
      onError: 'tolerate',
      tolerate: { rejected: '1%' },
      timeout: '2h',
      window: 4,
    },
  },
  outputs: { map: '${{ steps.map.url }}' },
};

/** Every parameter and step of a file by its name, also those that are wrong otherwise. */
function namesOf(value: Json, file: PipelineFile, table: Readonly<Record<string, Step>>, misplaced: readonly Misplaced[]): Names {
  const written = (field: string): string[] => {
    const part = value !== null && typeof value === 'object' && !Array.isArray(value) ? value[field] : undefined;
    return part !== null && typeof part === 'object' && !Array.isArray(part) ? Object.keys(part) : [];
  };
  const definition = (id: string): Step | undefined => {
    const step = file.steps[id];
    return step && Object.hasOwn(table, step.use) ? typed(table[step.use]!, step.with) : undefined;
  };
  return {
    params: new Map(written('params').flatMap((name) => [name, callable(name)].map((each) => [each, file.params[name]] as const))),
    steps: new Map(
      [...misplaced.flatMap(({ step }) => step ?? []), ...written('steps')].flatMap((id) =>
        [id, callable(id)].map((each) => [each, definition(id)] as const),
      ),
    ),
  };
}

/** What a name that expressions cannot refer to is to be called. */
const callable = (name: string): string => name.replaceAll(/[^A-Za-z0-9_]+(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The key is taken before the first step: only parameters are known then. */
function checkConcurrency({ concurrency }: PipelineFile, checks: Checks): { findings: Finding[]; params: string[] } {
  if (typeof concurrency !== 'string') return { findings: [], params: [] };
  const { findings, params } = checkExpressions(concurrency, ['concurrency'], checks);
  if (findings.length > 0) return { findings, params };
  const { steps, run } = references(concurrency);
  if (steps.length === 0 && run.length === 0) return { findings, params };
  const message = "'concurrency' is a text known before the run: it may refer to params only";
  const remedy = 'write a text, or refer to a parameter';
  return { findings: [{ code: 'invalid-value', message, path: 'concurrency', remedy, ...checks.locate.value(['concurrency']) }], params };
}

const unusedParams = ({ params }: PipelineFile, used: readonly string[], { locate }: Parsed): Finding[] =>
  Object.keys(params)
    .filter((name) => !used.includes(name))
    .map((name) => ({
      code: 'unused-param',
      message: `nothing uses the parameter '${name}'`,
      path: `params.${name}`,
      remedy: `refer to it as \${{ params.${name} }}, or take it out`,
      ...locate.key(['params', name]),
    }));
