import type { VerbContext } from '../frame/verb.ts';
import type { Plan } from '../../pipelines/plan.ts';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Completion } from './completion.ts';
import { overlaps } from '../../pipelines/file/schedule.ts';
import { scripts } from './scripts.ts';
import { pageNames } from '../project/pages.ts';

/** Where a command line is typed. */
export type Place = Pick<VerbContext, 'cwd' | 'verbs'>;

type Asked = Place & { verb: string; args: readonly string[] };

type Source = (asked: Asked) => Promise<Completion>;

const files: Source = async () => ({ words: [], files: true });

const words = (all: readonly (string | { word: string; says: string })[]): Completion => ({
  words: all.map((each) => (typeof each === 'string' ? { word: each, says: '' } : each)),
  files: false,
});

const configOf = async (cwd: string) => (await import('../../config/load.ts')).loadConfig(cwd);

/** Runs by their folders: a cluster that does not answer is not waited for. */
const runs: Source = async ({ cwd }) => {
  const { store } = await configOf(cwd);
  const { listRuns } = await import('../../runs/list.ts');
  const found = await listRuns({ storeRoot: store }, { limit: 1_000, children: true });
  return words(found.map(({ run, state, startedAt }) => ({ word: run, says: `${state}, ${startedAt.slice(0, 16).replace('T', ' ')}` })));
};

/** Steps of the run that the line names. */
const stepsOfRun: Source = async ({ cwd, args: [run] }) => {
  const { store } = await configOf(cwd);
  const [{ findRunOrNewest }, { planFile }] = await Promise.all([import('../../runs/newest.ts'), import('../../store/run-record.ts')]);
  const found = await findRunOrNewest({ storeRoot: store }, run);
  const plan = JSON.parse(await readFile(join(fileURLToPath(found.store), planFile), 'utf8')) as Plan;
  return words(plan.steps.map(({ id, use }) => ({ word: id, says: use })));
};

/** The pipeline file that the line names, as it is. */
async function fileOf({
  cwd,
  args: [file],
}: Asked): Promise<{ params?: Record<string, { description?: string } | null>; steps?: Record<string, { use?: string } | null> }> {
  const { loadPipeline } = await import('../../pipelines/file/load.ts');
  return file === undefined ? {} : ((await loadPipeline(resolve(cwd, file))).value as object);
}

/** Steps of the file that the line names. */
const stepsOfFile: Source = async (asked) =>
  words(Object.entries((await fileOf(asked)).steps ?? {}).map(([word, step]) => ({ word, says: step?.use ?? '' })));

/** Parameters of the file, and behind one the names of files. */
const parameters: Source = async (asked) => ({
  words: Object.entries((await fileOf(asked)).params ?? {}).map(([name, param]) => ({
    word: `${name}=`,
    says: param?.description ?? '',
  })),
  files: true,
});

/** What has a watermark: pipelines, and the steps of the one that the line names. */
async function markOwners(cwd: string) {
  const [{ createMarks }, { rootOf }] = await Promise.all([import('../../store/marks.ts'), import('../../runs/find.ts')]);
  return createMarks(rootOf((await configOf(cwd)).store)).owners();
}

const markedPipelines: Source = async ({ cwd }) => words([...new Set((await markOwners(cwd)).map(({ pipeline }) => pipeline))]);
const markedSteps: Source = async ({ cwd, args: [, of] }) =>
  words([...new Set((await markOwners(cwd)).flatMap(({ pipeline, step }) => (pipeline === of ? [step] : [])))]);

/** Steps of what the line names: a file, a pipeline with marks, else a run. */
const steps: Source = (asked) =>
  asked.verb === 'run' ? stepsOfFile(asked) : asked.verb === 'watermark' ? markedSteps(asked) : stepsOfRun(asked);

/** Acts of the verbs that have some. */
const acts: Readonly<Record<string, readonly string[]>> = { step: ['new', 'test'], notify: ['test'], watermark: ['show', 'set'] };

/** Step types, own ones of the project among them. */
const stepTypes: Source = async ({ cwd, verb }) => {
  // `step new NAME` makes one that is not there yet.
  if (verb !== 'steps') return words([]);
  const [{ steps: builtin }, { projectSteps }] = await Promise.all([
    import('../../pipelines/steps/table.ts'),
    import('../project/own-steps.ts'),
  ]);
  const own = await projectSteps(await configOf(cwd)).catch(() => []);
  return words([...Object.values(builtin), ...own].map(({ name, summary }) => ({ word: name, says: summary })));
};

const connections: Source = async ({ cwd }) => {
  const { connectionNames } = await import('../../config/connections.ts');
  return words(connectionNames(await configOf(cwd)));
};

const operations: Source = async () => {
  const { operations: all } = await import('../../contracts/index.ts');
  return words(Object.keys(all));
};

/** What an operation may ask of a key. */
const scopes: Source = async () => {
  const { operations: all } = await import('../../contracts/index.ts');
  return words([...new Set(Object.values(all).flatMap((operation) => operation.scopes ?? []))].toSorted());
};

/** Files for `schedule apply`; else the schedules there are, where Temporal can be asked. */
const schedules: Source = async (asked) => {
  if (asked.args[0] === 'apply') return files(asked);
  const [{ openRuns }, { scheduleNames }] = await Promise.all([import('../project/project.ts'), import('../../runs/schedule/read.ts')]);
  const project = await openRuns(asked).catch(() => undefined);
  if (!project) return words([]);
  try {
    return words(await scheduleNames(project.place));
  } finally {
    await project.close();
  }
};

const values =
  (...all: string[]): Source =>
  async () =>
    words(all);

/** What may stand for an argument of a usage line, or as the value of an option: by its name, else by its placeholder. */
export const sources: Readonly<Record<string, Source>> = {
  FILE: files,
  'K=V': parameters,
  NEW: files,
  FOLDER: files,
  RUN: runs,
  STEP: steps,
  NAME: stepTypes,
  OPERATION: operations,
  VERB: async ({ verbs }) => words(verbs.map(({ name, summary }) => ({ word: name, says: summary }))),
  PAGE: async () => words(await pageNames()),
  ACT: async ({ verb }) => words(acts[verb] ?? []),
  PIPELINE: markedPipelines,
  VALUE: async () => words([]),
  CHANNEL: async ({ cwd }) => words(Object.keys((await configOf(cwd)).channels)),
  ACTION: async () => words(Object.keys((await import('../verbs/schedule.ts')).actions)),
  SCHEDULE: schedules,
  HOW: values(...overlaps),
  TIME: async () => words([]),
  'FILE|RUN': async (asked) => ({ words: (await runs(asked)).words, files: true }),
  FORMAT: async () => words(Object.keys((await import('../verbs/graph.ts')).formats)),
  SHELL: values(...Object.keys(scripts)),
  KIND: values('semantic', 'lexical'),
  SCOPE: scopes,
  // Words of a usage line that are typed as they stand there.
  keys: values('keys'),
  create: values('create'),
  chaos: values('chaos'),
  '--connection': connections,
  '--name': async () => words([]),
  '--as': async () => words([]),
  '--file-column': async () => words([]),
  '--secret': async () => words([]),
  '--temporal-source': values('cluster', 'path', 'kept', 'download', 'pypi'),
};
