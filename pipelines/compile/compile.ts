import { suggestion } from '../../text/nearest.ts';
import { approvedBy, approvedSteps } from './approvals.ts';
import { analyse, type AnalyseOptions, type Analysis } from './analyse.ts';
import type { AnalysedStep } from './analysed-step.ts';
import { celVersion } from '../expressions/environment.ts';
import { milliseconds } from '../../text/duration.ts';
import { toThreshold } from '../file/schema.ts';
import type { NotifyRule } from '../notify-rule.ts';
import { formatPath, type Finding } from '../file/findings.ts';
import { canonical } from '../../text/canonical-json.ts';
import { hashOf } from '../hash.ts';
import { inOrder } from './order.ts';
import { formFilesOf, sourcesOf, withFormFiles, withPaths } from './plan-sources.ts';
import type { Parsed } from '../file/parse.ts';
import type { Schedule } from '../file/schedule.ts';
import { planVersion, type Plan, type PlanStep } from '../plan.ts';
import type { Json } from '../../text/json.ts';
import { serviceOf, type Service } from '../../contracts/index.ts';
import type { StepOrLoop } from '../step.ts';
import { expressionsIn, known } from '../file/embedded-expressions.ts';
import { references } from '../expressions/references.ts';

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
  const there = options.environment === undefined ? undefined : analysis.file.environments[options.environment]?.connection;
  const connection = options.connection ?? there ?? analysis.file.connection;
  const late = [
    ...missingParams(analysis, parsed),
    ...missingConnection(analysis, connection, parsed),
    ...unknownAccepted(analysis, options),
    ...missingTime(analysis, options, parsed),
  ];
  if (late.length > 0) return { findings: late };

  const { schedule } = analysis.file;
  const steps = inOrder(analysis.steps);
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
    ...(schedule?.window ? { window: { of: schedule.window, timezone: schedule.timezone } } : {}),
    concurrency: analysis.concurrency === undefined ? datasetOf(analysis, connection) : analysis.concurrency,
    ...notified(analysis.file.notify ?? options.notify),
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

/** A run that is no schedule's is due at no time. */
function missingTime({ steps, outputs }: Analysis, { timed }: CompileOptions, { locate }: Parsed): Finding[] {
  if (timed) return [];
  const read = [outputs, ...steps.flatMap(({ with: input, when, loop }) => [input, when, loop?.outputs])]
    .flatMap((value) => expressionsIn(value))
    .flatMap(({ text }) => references(text).run)
    .find(({ path: [field], optional }) => (field === 'window' || field === 'scheduledAt') && !optional);
  if (read === undefined) return [];
  return [
    {
      code: 'missing-time',
      message: `run.${read.path.join('.')} is known of a run of the schedule, and of one that is given a time`,
      path: 'schedule',
      ...locate.key(['schedule']),
    },
  ];
}

function missingConnection({ steps }: Analysis, connection: string | undefined, { locate }: Parsed): Finding[] {
  const first = steps.find(({ definition }) => servicesOf(definition).length > 0);
  if (connection !== undefined || first === undefined) return [];
  return [
    {
      code: 'no-connection',
      message: `${first.definition.name} needs a connection: --connection NAME, or a line 'connection: NAME' in the file`,
      path: formatPath([...first.path, 'use']),
      ...locate.value([...first.path, 'use']),
    },
  ];
}

/** The services whose operations a step lists: it has a connection to these and to no other. */
const servicesOf = ({ operations }: StepOrLoop): Service[] => [...new Set(operations.map(serviceOf))];

function toPlanStep(
  { id, file, definition, with: input, when, needs, accepts, onError, loop, in: within, on, final }: AnalysedStep,
  connection: string | undefined,
  baseDir: string,
): PlanStep {
  const services = servicesOf(definition);
  const window = file.window ?? definition.window;
  return {
    id,
    use: definition.name,
    ...(definition.version === undefined ? {} : { version: definition.version }),
    kind: definition.kind,
    needs,
    ...(Object.keys(accepts).length === 0 ? {} : { accepts }),
    ...(when === undefined || when === true ? {} : { when }),
    ...(onError === undefined ? {} : { onError }),
    with: withFormFiles(withPaths(input as { [name: string]: Json }, definition.paths ?? [], baseDir), definition, baseDir),
    connections: connection === undefined ? {} : Object.fromEntries(services.map((service) => [service, connection])),
    timeouts: file.timeout === undefined ? { ...definition.timeouts } : limited(definition.timeouts, milliseconds(file.timeout)),
    ...(file.tolerate === undefined
      ? {}
      : { tolerate: Object.fromEntries(Object.entries(file.tolerate).map(([status, value]) => [status, toThreshold(value)])) }),
    ...(window === undefined ? {} : { window }),
    ...(loop === undefined ? {} : { each: { as: loop.as, outputs: loop.outputs as { [name: string]: Json } } }),
    ...(within === undefined ? {} : { in: within }),
    ...(on === undefined ? {} : { on }),
    ...(final && within === undefined ? { finally: true as const } : {}),
  };
}

const limited = ({ attemptMs, pollMs }: PlanStep['timeouts'], longest: number): PlanStep['timeouts'] => ({
  attemptMs: Math.min(attemptMs, longest),
  deadlineMs: longest,
  ...(pollMs === undefined ? {} : { pollMs: longest }),
});

/** The first dataset that a step holds for the run; null where none is known before it. */
function datasetOf({ steps }: Analysis, connection: string | undefined): string | null {
  for (const { definition, with: input } of steps) {
    const slug = definition.concurrency?.(known(input));
    if (slug !== undefined && connection !== undefined) return `${connection}/${slug}`;
  }
  return null;
}
