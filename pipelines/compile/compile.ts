import { suggestion } from '../../text/nearest.ts';
import { approvedBy, approvedSteps } from './approvals.ts';
import { analyse, type AnalyseOptions, type Analysis } from './analyse.ts';
import type { AnalysedStep } from './analysed-step.ts';
import { celVersion } from '../expressions/environment.ts';
import { hasExpression } from '../expressions/scan.ts';
import { milliseconds } from '../../text/duration.ts';
import { toThreshold } from '../file/schema.ts';
import type { Finding } from '../file/findings.ts';
import { canonical } from '../../text/canonical-json.ts';
import { hashOf } from '../hash.ts';
import { order } from './order.ts';
import { resolvePath } from './params.ts';
import type { Parsed } from '../file/parse.ts';
import { mapFormFiles } from '../form-files.ts';
import { planVersion, type Plan, type PlanSource, type PlanStep } from '../plan.ts';
import type { Json } from '../../text/json.ts';
import { sourceName } from '../source-name.ts';
import { serviceOf, type Service } from '../../contracts/index.ts';
import type { Step } from '../step.ts';
import type { FileSpec } from '../source-spec.ts';
import { known } from '../file/embedded-expressions.ts';

export type CompileOptions = AnalyseOptions & {
  /** Connection of the run; default: the one that the file names. */
  connection?: string;
  /** Steps that may do what cannot be taken back where the data asks for it, although no gate approves them. */
  accept?: readonly string[];
};

/** Bytes of a plan as JSON: it is the workflow's input. */
export const maxPlanBytes = 512 * 1_024;

/** Every finding of a file, in the order of its lines. Parameters without a value are no finding here. */
export const validate = (parsed: Parsed, options: AnalyseOptions): Finding[] => analyse(parsed, options).findings;

/** The plan of a file: plain JSON, parameters and defaults put in, paths absolute, steps in order, hashed. */
export function compile(parsed: Parsed, options: CompileOptions): { plan: Plan } | { findings: Finding[] } {
  const { findings, analysis } = analyse(parsed, options);
  if (analysis === undefined) return { findings };
  const connection = options.connection ?? analysis.file.connection;
  const late = [
    ...missingParams(analysis, parsed),
    ...missingConnection(analysis, connection, parsed),
    ...unknownAccepted(analysis, options),
  ];
  if (late.length > 0) return { findings: late };

  const sorted = order(new Map(analysis.steps.map(({ id, needs }) => [id, needs])));
  const byId = new Map(analysis.steps.map((step) => [step.id, step]));
  const steps = ('order' in sorted ? sorted.order : []).map((id) => byId.get(id)!);
  const approved = new Set([...approvedSteps(steps), ...(options.accept ?? [])]);
  const planned = steps.map((step) => ({
    ...toPlanStep(step, connection, options.baseDir),
    ...(step.definition.kind === 'gate' ? { approves: approvedBy(step, steps) } : {}),
    ...(approved.has(step.id) ? { approved: true as const } : {}),
  }));
  const body: Omit<Plan, 'hash'> = {
    version: planVersion,
    pipeline: analysis.file.name,
    cel: celVersion,
    params: analysis.params,
    steps: planned,
    outputs: analysis.outputs,
    sources: steps.flatMap((step, index) => [...sourcesOf(step, planned[index]!), ...formFilesOf(step, planned[index]!)]),
    concurrency: analysis.concurrency === undefined ? datasetOf(analysis, connection) : analysis.concurrency,
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
  return { plan };
}

const missingParams = ({ required }: Analysis, { locate }: Parsed): Finding[] =>
  required.map((name) => ({
    code: 'missing-param',
    message: `parameter '${name}' has no default and no value: --param ${name}=…`,
    path: `params.${name}`,
    ...locate.key(['params', name]),
  }));

const unknownAccepted = ({ steps }: Analysis, { accept = [] }: CompileOptions): Finding[] =>
  accept
    .filter((id) => !steps.some((step) => step.id === id))
    .map((id) => ({
      code: 'no-such-step',
      message: `--accept: there is no step '${id}'${suggestion(
        id,
        steps.map((step) => step.id),
      )}`,
      path: 'steps',
      line: 1,
      column: 1,
    }));

function missingConnection({ steps }: Analysis, connection: string | undefined, { locate }: Parsed): Finding[] {
  const first = steps.find(({ definition }) => servicesOf(definition).length > 0);
  if (connection !== undefined || first === undefined) return [];
  return [
    {
      code: 'no-connection',
      message: `${first.definition.name} needs a connection: --connection NAME, or a line 'connection: NAME' in the file`,
      path: `steps.${first.id}.use`,
      ...locate.value(['steps', first.id, 'use']),
    },
  ];
}

/** The services whose operations a step lists: it has a connection to these and to no other. */
const servicesOf = ({ operations }: Step): Service[] => [...new Set(operations.map(serviceOf))];

function toPlanStep({ id, file, definition, with: input, needs }: AnalysedStep, connection: string | undefined, baseDir: string): PlanStep {
  const services = servicesOf(definition);
  const window = file.window ?? definition.window;
  return {
    id,
    use: definition.name,
    ...(definition.version === undefined ? {} : { version: definition.version }),
    kind: definition.kind,
    needs,
    with: withFormFiles(withPaths(input as { [name: string]: Json }, definition.paths ?? [], baseDir), definition, baseDir),
    connections: connection === undefined ? {} : Object.fromEntries(services.map((service) => [service, connection])),
    timeouts: file.timeout === undefined ? { ...definition.timeouts } : limited(definition.timeouts, milliseconds(file.timeout)),
    ...(file.tolerate === undefined
      ? {}
      : { tolerate: Object.fromEntries(Object.entries(file.tolerate).map(([status, value]) => [status, toThreshold(value)])) }),
    ...(window === undefined ? {} : { window }),
  };
}

const limited = ({ attemptMs, pollMs }: PlanStep['timeouts'], longest: number): PlanStep['timeouts'] => ({
  attemptMs: Math.min(attemptMs, longest),
  deadlineMs: longest,
  ...(pollMs === undefined ? {} : { pollMs: longest }),
});

const isLiteral = (value: Json | undefined): value is string => typeof value === 'string' && !hasExpression(value);

type Fields = { [name: string]: Json };

/** The tables of a query over files, undefined where the value is none. */
const tablesIn = (value: Json | undefined): Fields | undefined => {
  const tables = isFields(value) && 'sql' in value ? value['tables'] : undefined;
  return isFields(tables) ? tables : undefined;
};

const isCsv = (value: Json | undefined): value is { path: string; csv: Fields } =>
  isFields(value) && isLiteral(value['path']) && isFields(value['csv']);

const isFields = (value: Json | undefined): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

const mapFields = (fields: Fields, change: (value: Json, field: string) => Json): Fields =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, change(value, field)]));

/** The input with absolute paths: fields that hold one, and the tables of queries. */
const withPaths = (input: Fields, paths: readonly string[], baseDir: string): Json => {
  const absolute = (value: Json): Json => {
    if (isCsv(value)) return { ...value, path: resolvePath(value.path, baseDir) };
    return isLiteral(value) ? resolvePath(value, baseDir) : value;
  };
  return mapFields(input, (value, field) => {
    if (!paths.includes(field)) return value;
    const tables = tablesIn(value);
    return tables ? { ...(value as Fields), tables: mapFields(tables, absolute) } : absolute(value);
  });
};

/** True where no part of a value is an expression. */
const isKnown = (value: Json): boolean => !hasExpression(JSON.stringify(value));

const isFile = (value: Json | undefined): value is string => isLiteral(value) && !/^[A-Za-z][A-Za-z0-9+.-]+:\/\//.test(value);

const sourcesOf = ({ id, definition }: AnalysedStep, { with: input }: PlanStep): PlanSource[] =>
  (definition.paths ?? []).flatMap((field): PlanSource[] => {
    const value = (input as Fields)[field];
    if (isFile(value)) return [{ step: id, field, path: value }];
    if (isCsv(value) && isKnown(value)) return [{ step: id, field, path: sourceName(value), file: value }];
    const tables = tablesIn(value);
    const sql = (value as Fields | undefined)?.['sql'];
    if (!tables || !isLiteral(sql) || !Object.values(tables).every((each) => isFile(each) || (isCsv(each) && isKnown(each)))) return [];
    const query = { sql, tables: tables as { [table: string]: FileSpec } };
    return [{ step: id, field, path: sourceName(query), ...query }];
  });

/** The input of a step that sends a form, the paths of its files absolute. */
const withFormFiles = (input: Json, { files }: Step, baseDir: string): Json =>
  files ? (mapFormFiles(input, (path) => ({ file: resolvePath(path, baseDir) })) as Json) : input;

function formFilesOf({ id, definition }: AnalysedStep, { with: input }: PlanStep): PlanSource[] {
  const found: PlanSource[] = [];
  if (definition.files)
    mapFormFiles(input, (path, at) => {
      found.push({ step: id, field: at.join('.'), path, raw: true });
      return path;
    });
  return found;
}

/** The first dataset that a step holds for the run; null where none is known before it. */
function datasetOf({ steps }: Analysis, connection: string | undefined): string | null {
  for (const { definition, with: input } of steps) {
    const slug = definition.concurrency?.(known(input));
    if (slug !== undefined && connection !== undefined) return `${connection}/${slug}`;
  }
  return null;
}
