import { stepsIn } from '../expressions/references.ts';
import { isExact, split } from '../expressions/scan.ts';
import { createTypedCheck } from '../expressions/typed.ts';
import { byPosition, formatPath, type Finding, type Locate } from '../file/findings.ts';
import { lenient } from '../file/lenient.ts';
import { flatSteps, type FlatStep } from '../file/flat-steps.ts';
import type { Parsed } from '../file/parse.ts';
import { check } from '../file/schema-findings.ts';
import { pipelineFile, type PipelineFile } from '../file/schema.ts';
import { together } from '../file/together.ts';
import { locateWritten } from './where-written.ts';
import { z } from 'zod';
import type { Json } from '../../text/json.ts';
import type { AnalysedStep } from './analysed-step.ts';
import type { Analysis, AnalyseOptions } from './analysis.ts';
import { checkAbsent } from './check-absent.ts';
import { checkApprovals, checkIdleGates, followGates } from './approvals.ts';
import { celTypes } from './cel-types.ts';
import { checkColumnNames } from './check-column-names.ts';
import { checkConcurrency, checkKey, keyOf } from './concurrency.ts';
import { checkExpressions } from './check-expressions.ts';
import { checkResultColumns } from './check-result-columns.ts';
import { checkRowsBody } from './check-rows-body.ts';
import { checkStep, inWith } from './check-step.ts';
import { checkOrder, followAll } from './dependencies.ts';
import { followWriters } from './follow-writers.ts';
import { isOf } from './consequences.ts';
import { namesOf, type Place } from './file-names.ts';
import { unusedDefaults, withFileDefaults } from './file-defaults.ts';
import { createFold } from './fold.ts';
import { liftNeeds } from './lift-needs.ts';
import { findMisplaced } from './misplaced.ts';
import { checkTurnWrites } from './check-turn-writes.ts';
import { checkOnFailure, checkUndoIds, checkUndoPlaces, checkUndoReads, checkUndoRepeats } from './check-undo.ts';
import { schemaOf, type Names } from './names.ts';
import { resolveParams } from './params.ts';
import type { Checks } from './place.ts';
import { checkPlainTexts } from './plain-texts.ts';
import { checkGiven, isPipeline, pipelinesOf, type Check } from './sub-pipelines.ts';

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
  const params = resolveParams(file, options.params ?? {}, options.environment, options.baseDir, locate);
  const misplaced = findMisplaced(parsed.value, locate);
  const inFile = flatSteps(file);
  const pipelines = pipelinesOf(parsed.uses, inFile, checkUsed(options), locate);
  const table = { ...options.steps, ...pipelines.table };
  const { steps: flat, unused } = withFileDefaults(inFile, file.defaults, table);
  const namesIn = namesOf({ value: parsed.value, file, steps: flat, table, misplaced });
  const checksIn = checksBy(namesIn, locate);
  const checks = checksIn({});
  const fold = createFold(knownOf(params.values, options.open), locate, (finding) => findings.push(finding));

  const there = options.environment === undefined ? {} : file.environments[options.environment]?.params;
  const values = locateWritten(locate, { value: parsed.value, given: [...Object.keys(options.params ?? {}), ...Object.keys(there ?? {})] });
  const analysed = flat.map((step) => {
    const world = { table, unusable: pipelines.unusable, checks: checksIn(step), values, fold, wrong: [...parsed.findings, ...findings] };
    const checked = checkStep(step, world);
    const turn = checkTurn(step, checksIn);
    return { ...checked, refers: [...checked.refers, ...(turn?.needs ?? [])], turn };
  });
  liftNeeds(analysed);
  const all = analysed.flatMap(({ step }) => step ?? []);
  const steps = all.filter(({ undoes }) => undoes === undefined);
  // What takes a step back waits for no step of the run: that has ended.
  const undo = all
    .filter(({ undoes }) => undoes !== undefined)
    .map((step): AnalysedStep => (step.in === undefined ? { ...step, needs: [] } : step));
  followAll(steps);
  followGates(all);
  followWriters(steps, connectionIn(file, options.environment));
  const outputs = checkExpressions(file.outputs, ['outputs'], checks);
  const concurrency = checkConcurrency(file, checks);
  const used = [...analysed, ...analysed.flatMap(({ turn }) => turn ?? []), outputs, concurrency].flatMap((each) => each.params);
  findings.push(
    ...pipelines.findings,
    ...params.findings,
    ...analysed.flatMap((each) => [...each.findings, ...(each.turn?.findings ?? [])]),
    ...repeatedIds(flat, locate),
    ...checkRowsBody(all, locate),
    ...checkTurnWrites(all, locate),
    ...checkUndoPlaces(flat, locate),
    ...checkUndoIds(steps, locate),
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
  const ids = [...checks.names.steps.keys(), ...flat.map(({ id }) => id)];
  findings.push(
    ...checkApprovals(all, ids, parsed, file.onFailure === 'undo').filter(({ path }) => !waitsWrong(path.split('.', 2).join('.'))),
  );
  const broken = (id: string): boolean => {
    const place = formatPath(flat.find((step) => step.id === id)!.path);
    return findings.some(({ path }) => path.startsWith(`${place}.`));
  };
  findings.push(...checkResultColumns(all, locate, broken));
  findings.push(...checkColumnNames(all, locate, { broken }));
  for (const step of all)
    if (isPipeline(step.definition) && !broken(step.id))
      findings.push(...checkGiven({ step, folded: step.with, folder: options.baseDir }, step.definition, checkUsed(options), locate));
  // Steps in a circle may be the consequence of a reference that is wrong otherwise.
  if (findings.length === 0) findings.push(...checkOrder(steps, parsed));
  if (findings.length === 0) findings.push(...checkIdleGates(steps, stepsIn(file.outputs), parsed));
  if (findings.length === 0)
    findings.push(...checkAbsent(steps, file.outputs, locate), ...checkAbsent(undo, {}, locate), ...checkUndoReads(steps, undo, locate));
  if (findings.length === 0) findings.push(...checkUndoRepeats(steps, undo, locate));
  if (findings.length === 0) findings.push(...checkOnFailure(file, undo, locate));
  if (findings.length === 0) findings.push(...unusedDefaults(unused, flat, locate));
  if (findings.length === 0 && parsed.findings.length === 0) findings.push(...unusedParams(file, used, parsed));
  const folded = fold(file.outputs as Json, ['outputs']) as Analysis['outputs'];
  const held = keyOf(file, fold);
  findings.push(...checkKey(file, held, locate));

  // What cannot be read is no value: a second finding at its place would be about that.
  const own = findings
    .filter((finding) => !parsed.findings.some((unread) => isOf(finding, unread)) && !misplaced.some(({ hides }) => hides(finding)))
    .map((finding) => inWith(finding, all));
  const sorted = together([...parsed.findings, ...misplaced.map(({ finding }) => finding), ...own].sort(byPosition), locate);
  return sorted.length > 0
    ? { findings: sorted }
    : {
        findings: sorted,
        analysis: {
          file,
          steps,
          undo,
          params: params.values,
          required: params.required,
          outputs: folded,
          gives: Object.fromEntries(Object.entries(file.outputs).map(([name, value]) => [name, givenBy(value, checks.names)])),
          concurrency: held,
          connection: connectionIn(file, options.environment),
        },
      };
}

/** Connection that a file names: for an environment, or for all. */
const connectionIn = ({ environments, connection }: PipelineFile, environment: string | undefined): string | undefined =>
  (environment === undefined ? undefined : environments[environment]?.connection) ?? connection;

/** A pipeline that a step of another one names is checked by the same steps, in the environment of the same name where it has one. */
const checkUsed =
  ({ steps, environment }: AnalyseOptions): Check =>
  (loaded, given) => {
    const has = environment !== undefined && Object.hasOwn(lenient(loaded.value ?? null).environments, environment);
    return analyse(loaded, {
      steps,
      baseDir: loaded.baseDir,
      ...(has ? { environment } : {}),
      ...(given === 'open' ? { open: 'all' } : { params: given.values, open: given.open }),
    });
  };

/** The values of parameters that are not open. */
const knownOf = (values: Analysis['params'], open: AnalyseOptions['open'] = []): Analysis['params'] =>
  open === 'all' ? {} : Object.fromEntries(Object.entries(values).filter(([name]) => !open.includes(name)));

/** What an output is: known where it is one reference. */
function givenBy(value: unknown, names: Names): z.ZodType {
  if (typeof value !== 'string' || !isExact(value)) return z.unknown();
  const [only] = split(value.trim());
  return (only?.kind === 'expression' ? schemaOf(only.code.trim(), names) : undefined) ?? z.unknown();
}

/** From it fields are shown that a file lacks. */
const exampleFile = {
  name: 'ingest',
  description: 'Put films on a map',
  params: { source: { type: 'path', default: 'data/movies.json', description: 'Any table' } },
  connection: 'prod',
  schedule: { cron: '15 6 * * 1-5', timezone: 'Europe/Madrid', overlap: 'skip', catchUp: '1h', window: 'day' },
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

/** What expressions are checked against, by where they stand. */
function checksBy(namesIn: (place: Place) => Names, locate: Locate): (place: Place) => Checks {
  const all = new Map<Names, Checks>();
  return (place) => {
    const names = namesIn(place);
    if (!all.has(names)) all.set(names, { names, typed: createTypedCheck(celTypes(names)), locate });
    return all.get(names)!;
  };
}

/** What a turn of a loop gives is read inside of it. */
function checkTurn(
  { id, path, loop, undoes }: FlatStep,
  checksIn: (place: Place) => Checks,
): ReturnType<typeof checkExpressions> | undefined {
  if (!loop) return undefined;
  const base = [...path, 'outputs'];
  const checks = checksIn({ in: id, ...(undoes === undefined ? {} : { undoes }) });
  const found = checkExpressions(loop.outputs, base, checks);
  return { ...found, findings: [...found.findings, ...checkPlainTexts(loop.outputs, base, checks)] };
}

/** References name a step by its id alone, wherever it stands. */
const repeatedIds = (steps: readonly FlatStep[], locate: Locate): Finding[] =>
  steps.flatMap(({ id, path }, at): Finding[] => {
    const first = steps.findIndex((each) => each.id === id);
    if (first === at) return [];
    return [
      {
        code: 'duplicate-field',
        message: `the id '${id}' is taken: ${formatPath(steps[first]!.path)}`,
        path: formatPath(path),
        remedy: 'give it another id: ids are unique in the whole file',
        ...locate.key(path),
      },
    ];
  });

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
