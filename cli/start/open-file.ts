import { relative, resolve } from 'node:path';
import type { Config } from '../../config/load.ts';
import { resolvePath } from '../../pipelines/resolve-path.ts';
import { loadPipeline, type LoadedFile } from '../../pipelines/file/load.ts';
import { meantPipeline } from '../../pipelines/file/meant-pipeline.ts';
import type { Step } from '../../pipelines/step.ts';
import { withOwn } from '../../pipelines/steps/table.ts';
import { suggestion } from '../../text/nearest.ts';
import { UsageError } from '../frame/errors.ts';
import type { LentTables } from './lent-tables.ts';
import { expectTables } from './expect-tables.ts';
import { pathFrom } from './path-from.ts';
import { refuseFolder } from './pipeline-files.ts';
import { projectSteps } from '../project/own-steps.ts';

/** A pipeline file, read, with the steps of the project. */
export type OpenFile = {
  loaded: LoadedFile;
  steps: Readonly<Record<string, Step>>;
  params: Record<string, string>;
  shown: string;
  /** The environment that the command names. */
  environment?: string;
};

export type FileContext = { cwd: string; options: { readonly param?: string[] | undefined; readonly env?: string | undefined } };

/** `--param k=v`, repeated. Fails with `UsageError`. */
const parseParams = (given: readonly string[] = []): Record<string, string> =>
  Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UsageError(`--param ${pair} has no '='`, '--param name=value');
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );

/** The parameters that a file declares, as they are written in it. */
export const declaredIn = ({ value }: LoadedFile): Record<string, { type?: unknown } | null> =>
  (value as { params?: Record<string, { type?: unknown } | null> } | undefined)?.params ?? {};

/** A path that is typed means the folder in which it is typed; one in the file, that of the file. */
const fromHere = (params: Record<string, string>, loaded: LoadedFile, cwd: string): Record<string, string> => {
  const declared = declaredIn(loaded);
  return Object.fromEntries(
    Object.entries(params).map(([name, given]) => [
      name,
      given !== '' && declared[name]?.type === 'path' ? resolvePath(given, cwd) : given,
    ]),
  );
};

/** Those of these values whose parameters a file declares. */
export const declaredOf = <T>(values: { readonly [name: string]: T }, loaded: LoadedFile): Record<string, T> => {
  const declared = declaredIn(loaded);
  return Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(declared, name)));
};

/** A pipeline file that is not there, or cannot be read. */
export class UnreadableFile extends UsageError {}

/** A pipeline file that lacks the environment which the command names. */
export class NoEnvironment extends UsageError {}

const readFile = (path: string, { shown, cwd }: { shown: string; cwd: string }): Promise<LoadedFile> =>
  loadPipeline(path).catch(async (error: NodeJS.ErrnoException) => {
    const meant = error.code === 'ENOENT' ? await meantPipeline(path) : undefined;
    throw new UnreadableFile(
      error.code === 'ENOENT'
        ? `there is no file ${shown}${meant === undefined ? '' : `; did you mean ${pathFrom(cwd, meant)}?`}`
        : `${shown} cannot be read: ${error.message}`,
      'name a pipeline file: YAML, JSON, or a module (.mts)',
    );
  });

/** Reads a file and the own steps of the project. Fails with `UsageError` where it is not there. */
export const openFile = async (
  { cwd, options }: FileContext,
  config: Config | Promise<Config>,
  file: string,
  tables: LentTables,
): Promise<OpenFile> => {
  await refuseFolder(file, cwd);
  const path = resolve(cwd, file);
  const inside = relative(cwd, path);
  const shown = inside.startsWith('..') ? file : inside;
  const [loaded, own] = await Promise.all([
    readFile(path, { shown, cwd }),
    Promise.resolve(config).then(projectSteps),
    expectTables(path, tables),
  ]);
  const params = fromHere(parseParams(options.param), loaded, cwd);
  if (options.env !== undefined) checkEnvironment(options.env, loaded, shown);
  return { loaded, params, shown, steps: withOwn(own), ...(options.env === undefined ? {} : { environment: options.env }) };
};

export const environmentsIn = ({ value }: LoadedFile): Record<string, { connection?: unknown; params?: object } | null> =>
  (value as { environments?: Record<string, { connection?: unknown; params?: object } | null> } | undefined)?.environments ?? {};

const isMap = (value: unknown): boolean => value !== null && typeof value === 'object' && !Array.isArray(value);

/** Fails with `UsageError` where a file has no such environment. Of one that is no pipeline as a whole it is not known: that is a finding. */
function checkEnvironment(name: string, loaded: LoadedFile, shown: string): void {
  if (loaded.findings.length > 0 || !isMap(loaded.value) || !isMap(environmentsIn(loaded))) return;
  const known = Object.keys(environmentsIn(loaded));
  if (known.includes(name)) return;
  throw new NoEnvironment(
    `${shown} has no environment '${name}'${suggestion(name, known)}`,
    known.length === 0 ? `write one into the file: environments: ${name}: { params: { … } }` : `its environments: ${known.join(', ')}`,
  );
}
