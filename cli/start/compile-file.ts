import { resolveService } from '../../config/connections.ts';
import type { Service } from '../../contracts/index.ts';
import type { Config } from '../../config/load.ts';
import { localName } from '../../config/schema.ts';
import { compile, validate } from '../../pipelines/compile/compile.ts';
import { remedied } from '../../pipelines/file/finding-codes.ts';
import { byPosition, type Finding } from '../../pipelines/file/findings.ts';
import type { Schedule } from '../../pipelines/file/schedule.ts';
import type { Plan } from '../../pipelines/plan.ts';
import type { Json } from '../../text/json.ts';
import { checkColumns } from './check-columns.ts';
import { checkChannels } from './check-channels.ts';
import { checkConnectionName } from './check-connection-name.ts';
import { checkServices } from './check-services.ts';
import { checkUsed, type UsedCheck } from './check-used.ts';
import { instantIn, timeRule } from '../../text/zone.ts';
import { UsageError } from '../frame/errors.ts';
import { lendTables, type LentTables } from './lent-tables.ts';
import { InvalidFile } from './invalid-file.ts';
import { missingStep } from './missing-step.ts';
import { declaredOf, environmentsIn, openFile, type FileContext, type OpenFile } from './open-file.ts';

/** Names of the parameters that do not have the value of their default. */
const setIn = (params: object, { loaded, environment }: OpenFile): string[] => [
  ...Object.keys(params),
  ...Object.keys((environment === undefined ? undefined : environmentsIn(loaded)[environment]?.params) ?? {}),
];

/** Everything that is wrong with a file, column expressions included, in the order of its lines. */
export const findingsOf = async (open: OpenFile, config: Config, tables: LentTables): Promise<Finding[]> => {
  const { loaded, steps, params, environment } = open;
  const options = { steps, params, baseDir: loaded.baseDir, ...(environment === undefined ? {} : { environment }) };
  const findings = [
    ...validate(loaded, options).map((finding) => missingStep(finding, loaded.value, config)),
    ...checkConnectionName(loaded, config),
    ...checkChannels(loaded, config),
  ].sort(byPosition);
  if (findings.length > 0) return findings.map(remedied);
  // Only a plan knows the paths. Any connection will do for them; a parameter that is missing still is no finding here.
  const compiled = compile(loaded, { ...options, connection: localName, timed: true });
  if (!('plan' in compiled)) return [];
  const services = checkServices(compiled.plan, loaded, config, environment);
  const columns = await checkColumns(compiled.plan, { ...loaded, given: setIn(params, open), steps, projectDir: config.root, tables });
  const used = await checkUsed(compiled.plan, loaded, usedCheck(open, config, { tables }));
  return [...services, ...columns, ...used].sort(byPosition).map(remedied);
};

/** What is looked at in a pipeline that a step runs: the same as in the file itself. */
const usedCheck =
  ({ steps, environment }: OpenFile, config: Config, more: { tables: LentTables; filesElsewhere?: boolean }): UsedCheck =>
  async (used, run) => [
    ...checkChannels(used, config),
    ...checkConnectionName(used, config),
    ...(run
      ? [
          ...checkServices(run.plan, used, config, environment),
          ...(await checkColumns(run.plan, { ...used, given: run.given, steps, projectDir: config.root, ...more })),
        ]
      : []),
  ];

/**
 * The connection that a run uses: the command's, else that of its environment, else the file's, else the configuration's; undefined
 * where none is named.
 */
export const connectionOf = ({ loaded, environment }: OpenFile, config: Config, named: string | undefined): string | undefined => {
  const there = environment === undefined ? undefined : environmentsIn(loaded)[environment]?.connection;
  const inFile = there ?? (loaded.value as { connection?: unknown } | undefined)?.connection;
  return named ?? (typeof inFile === 'string' ? inFile : config.connection);
};

type RunContext = FileContext & {
  options: {
    readonly connection?: string | undefined;
    readonly accept?: string[] | undefined;
    readonly at?: string | undefined;
    readonly 'no-check'?: boolean | undefined;
  };
};

export type CompiledFile = {
  plan: Plan;
  /** When the file says that it runs by itself. */
  schedule?: Schedule;
  baseDir: string;
  open: OpenFile;
  connections: { [service: string]: string };
  /** The same, and those of the pipelines that steps run. */
  reached: { [service: string]: string }[];
  /** The time that the run is for, where one was given (ISO 8601, UTC). */
  at?: string;
};

/** What of a compiled file a run is started with. */
export type Launched = Pick<CompiledFile, 'plan' | 'baseDir' | 'connections' | 'reached' | 'at'> & {
  open: Pick<OpenFile, 'steps'> & { loaded: { file?: string } };
};

/** Fails with `UsageError` where the text is no time. */
function instantOf(text: string | undefined, timezone = 'UTC'): string | undefined {
  if (text === undefined) return undefined;
  const at = instantIn(timezone, text);
  if (at === undefined) throw new UsageError(`--at is ${timeRule}, got '${text}'`);
  return new Date(at).toISOString();
}

type CompileFileOptions = {
  offline?: boolean;
  /** Values that an earlier run was given: they stand where the command gives none and the file still has the parameter. */
  former?: { readonly [name: string]: Json };
  /** Values of parameters beside those of the command line, before which they count. */
  values?: { readonly [name: string]: unknown };
  /** It is known, or will be, when the run is due. */
  timed?: boolean;
  /** Of a command that looks at tables again, or at those of several files. Default: its own, closed at the end. */
  tables?: LentTables;
};

/**
 * Compiles a file for a run. Fails with `UsageError` and every finding, or with `ConfigError` where its connection is
 * not configured: before anything starts. `offline`: the local service need not run.
 */
export const compileFile = async (
  context: RunContext,
  config: Config,
  file: string,
  { offline = false, former = {}, values = {}, timed = false, tables: lent }: CompileFileOptions = {},
): Promise<CompiledFile> => {
  await using own = lendTables();
  const tables = lent ?? own;
  const open = await openFile(context, config, file, tables);
  const { loaded, steps, shown } = open;
  const params = {
    ...declaredOf(former, loaded),
    ...open.params,
    ...values,
  };
  const connection = connectionOf(open, config, context.options.connection);
  const compiled = compile(loaded, {
    steps,
    params,
    baseDir: loaded.baseDir,
    ...(open.environment === undefined ? {} : { environment: open.environment }),
    accept: context.options.accept ?? [],
    notify: config.notify,
    timed: timed || context.options.at !== undefined,
    ...(connection !== undefined && { connection }),
  });
  const named = [
    ...checkChannels(loaded, config),
    ...(context.options.connection === undefined ? checkConnectionName(loaded, config) : []),
  ];
  if ('findings' in compiled)
    throw new InvalidFile(
      shown,
      [...compiled.findings.map((finding) => missingStep(finding, loaded.value, config)), ...named].sort(byPosition),
    );
  if (context.options.connection === undefined) named.push(...checkServices(compiled.plan, loaded, config, open.environment));
  if (named.length > 0) throw new InvalidFile(shown, named);
  const columns = await checkColumns(compiled.plan, {
    ...loaded,
    given: setIn(params, open),
    steps,
    projectDir: config.root,
    filesElsewhere: context.options['no-check'] ?? false,
    tables,
  });
  const filesElsewhere = context.options['no-check'] ?? false;
  const inUsed = await checkUsed(compiled.plan, loaded, usedCheck(open, config, { tables, filesElsewhere }));
  if (columns.length + inUsed.length > 0) throw new InvalidFile(shown, [...columns, ...inUsed].sort(byPosition));
  const { plan, schedule } = compiled;
  const { connections, reached } = connectionsFor(plan);
  for (const [service, name] of reached.flatMap((each) => Object.entries(each) as [Service, string][]))
    if (!offline || name !== localName) resolveService(config, service, name);
  const at = instantOf(context.options.at, schedule?.timezone);
  return { plan, ...(schedule && { schedule }), ...(at === undefined ? {} : { at }), baseDir: loaded.baseDir, open, connections, reached };
};

const connectionsOf = ({ steps, undo }: Pick<Plan, 'steps' | 'undo'>): CompiledFile['connections'] =>
  Object.assign({}, ...[...steps, ...(undo?.steps ?? [])].map((step) => step.connections));

/** The connections of a plan, and all that are reached. */
export const connectionsFor = (plan: Plan): Pick<CompiledFile, 'connections' | 'reached'> => {
  const connections = connectionsOf(plan);
  return { connections, reached: [connections, ...Object.values(plan.pipelines ?? {}).map((sub) => connectionsOf(sub.plan))] };
};
