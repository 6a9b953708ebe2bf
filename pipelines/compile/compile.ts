import { approvedBy, approvedSteps } from './approvals.ts';
import { analyse } from './analyse.ts';
import { allSteps, type AnalyseOptions, type Analysis } from './analysis.ts';
import { missingConnection, missingParams, missingTime, missingTimeIn, unknownAccepted } from './check-given.ts';
import { toPlanStep } from './plan-step.ts';
import type { AnalysedStep } from './analysed-step.ts';
import { heldKey, openKeys } from './concurrency.ts';
import { celVersion } from '../expressions/environment.ts';
import { milliseconds } from '../../text/duration.ts';
import type { NotifyRule } from '../notify-rule.ts';
import { type Finding } from '../file/findings.ts';
import { canonical } from '../../text/canonical-json.ts';
import { hashOf } from '../hash.ts';
import { inOrder } from './order.ts';
import { namedFiles } from './plan-sources.ts';
import type { Parsed } from '../file/parse.ts';
import type { Schedule } from '../file/schedule.ts';
import { planVersion, type Plan, type PlanSource, type PlanStep, type SubPlan } from '../plan.ts';
import type { StepOrLoop } from '../step.ts';
import { isPipeline, type PipelineStep } from './sub-pipelines.ts';

export type CompileOptions = AnalyseOptions & {
  /** Connection of the run; default: the one that the file names. */
  connection?: string;
  /** Steps that may do what cannot be taken back where the data asks for it, although no gate approves them. */
  accept?: readonly string[];
  /** Who is alerted to what, where the file does not say so. */
  notify?: NotifyRule | undefined;
  /** It is known, or will be, when the run is due. */
  timed?: boolean;
};

/** Bytes of a plan as JSON: it is the workflow's input. */
const maxPlanBytes = 512 * 1_024;

/** Every finding of a file, in the order of its lines. Parameters without a value are no finding here. */
export const validate = (parsed: Parsed, options: AnalyseOptions): Finding[] => analyse(parsed, options).findings;

/** The plan of a file: plain JSON, parameters and defaults put in, paths absolute, steps in order, hashed. */
export function compile(parsed: Parsed, options: CompileOptions): { plan: Plan; schedule?: Schedule } | { findings: Finding[] } {
  const { findings, analysis } = analyse(parsed, options);
  if (analysis === undefined) return { findings };
  const connection = options.connection ?? analysis.connection;
  const late = [
    ...missingParams(analysis, parsed),
    ...missingConnection(analysis, connection, parsed),
    ...unknownAccepted(analysis, options),
    ...missingTime(analysis, options, parsed),
    ...allSteps(analysis).flatMap((step) => missingTimeIn(step, options, parsed)),
  ];
  if (late.length > 0) return { findings: late };

  const { schedule } = analysis.file;
  const { definitions, open, pipelines } = openPlan(analysis, {
    connection,
    accept: options.accept ?? [],
    baseDir: options.baseDir,
    environment: options.environment,
  });
  const sourcesOf = (steps: readonly PlanStep[]): PlanSource[] => steps.flatMap((step) => namedFiles(step, definitions.get(step.id)!));
  const body: Omit<Plan, 'hash'> = {
    ...open,
    params: analysis.params,
    sources: sourcesOf(open.steps),
    ...(open.undo && { undo: { ...open.undo, sources: sourcesOf(open.undo.steps) } }),
    concurrency: heldKey(analysis, connection),
    ...notified(analysis.file.notify ?? options.notify),
    ...(Object.keys(pipelines).length > 0 && { pipelines }),
  };
  const plan: Plan = { ...body, hash: hashOf(body) };
  const bytes = Buffer.byteLength(canonical(plan));
  if (bytes > maxPlanBytes)
    return {
      findings: [
        {
          code: 'too-large',
          message: `the plan has ${bytes.toLocaleString('en-US')} bytes, at most ${maxPlanBytes.toLocaleString('en-US')}: put long texts into files, or split the pipeline`,
          path: '',
          line: 1,
          column: 1,
        },
      ],
    };
  return { plan, ...(schedule && { schedule }) };
}

/** The steps of a file as a plan has them, also where parameters have no value yet. */
export function outline(parsed: Parsed, options: AnalyseOptions): SubPlan['plan'] | { findings: Finding[] } {
  const { findings, analysis } = analyse(parsed, options);
  return analysis === undefined
    ? { findings }
    : openPlan(analysis, {
        connection: undefined,
        accept: [],
        baseDir: options.baseDir,
        environment: options.environment,
      }).open;
}

type Around = { connection: string | undefined; accept: readonly string[]; baseDir: string; environment: string | undefined };

/** What of a plan is the same whatever its parameters are, but for the expressions that name them. */
function openPlan(
  analysis: Analysis,
  { connection, accept, baseDir, environment }: Around,
): { definitions: Map<string, StepOrLoop>; open: SubPlan['plan']; pipelines: NonNullable<Plan['pipelines']> } {
  const { file, outputs } = analysis;
  const all = allSteps(analysis);
  const approved = new Set([...approvedSteps(all), ...accept]);
  const pipelines: NonNullable<Plan['pipelines']> = {};
  const toPlanned = (step: AnalysedStep): PlanStep => ({
    ...toPlanStep(step, connection, baseDir),
    ...(step.definition.kind === 'gate' ? { approves: approvedBy(step, all) } : {}),
    ...(approved.has(step.id) ? { approved: true as const } : {}),
    ...(isPipeline(step.definition) ? { version: subPlan(step.definition, { connection, environment }, pipelines) } : {}),
  });
  const undo = { ...plannedUndo(analysis), steps: inOrder(analysis.undo).map(toPlanned) };
  const { schedule, name } = file;
  return {
    definitions: new Map(all.map(({ id, definition }) => [id, definition])),
    open: {
      version: planVersion,
      pipeline: name,
      ...(environment === undefined ? {} : { environment }),
      cel: celVersion,
      steps: inOrder(analysis.steps).map(toPlanned),
      outputs,
      ...(undo.steps.length + undo.none.length > 0 && { undo }),
      ...(schedule?.window ? { window: { of: schedule.window, timezone: schedule.timezone } } : {}),
    },
    pipelines,
  };
}

/** What the file says of taking steps back, beside the steps that do. */
const plannedUndo = ({ file }: Analysis): Omit<NonNullable<Plan['undo']>, 'steps'> => ({
  sources: [],
  none: Object.entries(file.steps).flatMap(([id, { undo }]) => (undo === 'none' ? [id] : [])),
  ...(file.onFailure === undefined ? {} : { onFailure: true }),
});

/** Puts the plan of a pipeline that a step runs among the others, and gives its name there. */
function subPlan(
  { pipeline: { loaded, analysis } }: PipelineStep,
  above: Pick<Around, 'connection' | 'environment'>,
  into: NonNullable<Plan['pipelines']>,
): string {
  // A pipeline with findings has been reported.
  if (!analysis) throw new Error(`${loaded.file} has findings`);
  const { file, params, concurrency } = analysis;
  const connection = analysis.connection ?? above.connection;
  // It runs in the environment of the same name, where it has one.
  const environment = Object.hasOwn(file.environments, above.environment ?? '') ? above.environment : undefined;
  const { definitions, open, pipelines } = openPlan(analysis, { connection, accept: [], baseDir: loaded.baseDir, environment });
  Object.assign(into, pipelines);
  const sub: SubPlan = {
    file: loaded.file,
    params: Object.fromEntries(
      Object.entries(file.params).map(([name, { type }]) => [
        name,
        { type, ...(Object.hasOwn(params, name) ? { default: params[name]! } : {}) },
      ]),
    ),
    paths: Object.fromEntries([...definitions].flatMap(([id, { paths }]) => (paths?.length ? [[id, [...paths]] as const] : []))),
    ...listsOf(definitions),
    forms: [...definitions].flatMap(([id, { files }]) => (files ? [id] : [])),
    ...openKeys({ concurrency, steps: analysis.steps }, connection),
    plan: { ...open, ...notified(file.notify) },
  };
  const name = hashOf(sub);
  into[name] = sub;
  return name;
}

const notified = (rule: NotifyRule | undefined): Pick<Plan, 'notify'> =>
  rule === undefined
    ? {}
    : {
        notify: {
          on: [...new Set(rule.on)],
          to: [...new Set(rule.to)],
          ...(rule.late === undefined ? {} : { lateMs: milliseconds(rule.late) }),
        },
      };

/** Fields whose files are taken as they are, by step. */
function listsOf(definitions: ReadonlyMap<string, StepOrLoop>): Pick<SubPlan, 'lists'> {
  const lists = [...definitions].flatMap(([id, { lists: fields = [] }]): [string, string[]][] =>
    fields.length > 0 ? [[id, [...fields]]] : [],
  );
  return lists.length > 0 ? { lists: Object.fromEntries(lists) } : {};
}
