import type { Document } from '../json/documents.ts';
import { resolve } from 'node:path';
import pLimit from 'p-limit';
import type { RunLocation } from '../../runs/find.ts';
import { newRunId } from '../../runs/run-id.ts';
import { isOver, type RunSnapshot } from '../../runs/view.ts';
import { watchRun } from '../../runs/watch.ts';
import { CommandError, UsageError } from '../frame/errors.ts';
import { counted } from '../../text/units.ts';
import { exit } from '../frame/exit.ts';
import type { VerbContext } from '../frame/verb.ts';
import { stateCode, whoIs, type Project } from '../project/project.ts';
import { missingFor, refuseMissing } from './check-missing.ts';
import { refuseMistakes } from './check-mistakes.ts';
import { checkConnections } from './check-connections.ts';
import { compileFile, type CompiledFile } from './compile-file.ts';
import { InvalidFile } from './invalid-file.ts';
import type { launchOptions } from './launch.ts';
import { lendToStart } from './land-here.ts';
import { readParamSets, type ParamSet } from './param-sets.ts';
import { startCompiled } from './start-compiled.ts';

/** Starts under way at a time: the server takes more, the compiler of this process does not. */
const startsAtOnce = 8;

/** Hundreds of runs are looked at side by side: each this often at most, and no worker is asked, which has them to work on. */
const watch = { minMs: 1_000, maxMs: 5_000, ask: false };

type CompiledSet = { set: ParamSet; file: CompiledFile };

type Started = { set: ParamSet; location?: RunLocation; refused?: string };

/**
 * Starts a file once for each set of parameters, by one connection, and says of each run how it ends. Every set is
 * compiled before the first run starts; a set whose dataset is held is reported, and the others go on. The exit code is
 * that of the worst.
 */
export async function launchMany(
  context: VerbContext<typeof launchOptions>,
  project: Project,
  file: string,
  sets: string,
): Promise<number> {
  const { options, terminal, signal } = context;
  const compiled = await compileSets(context, project, file, sets);
  if (!options['no-check']) {
    for (const each of compiled) refuseMissing(missingFor(each.file, project.config));
    await checkConnections(
      project.config,
      compiled.flatMap((each) => each.file.reached),
    );
    for (const each of compiled) await refuseMistakes(each.file, project.config, signal);
  }
  const say = (value: Document<'event'>, text: string): void =>
    options.json ? terminal.document('event', value) : terminal.out(`${text}\n`);

  const started = await pLimit(startsAtOnce).map(compiled, async ({ set, file: each }): Promise<Started> => {
    const start = {
      id: newRunId(each.plan.pipeline),
      compiled: each,
      given: [...Object.keys(each.open.params), ...Object.keys(set.values)],
      who: whoIs(context),
      origin: { command: 'run' },
    };
    try {
      if (signal.aborted) throw new Error('interrupted');
      const location = await startCompiled(project, start);
      say({ type: 'run', line: set.line, run: location.run, state: 'running' }, `${location.run} runs (line ${set.line})`);
      return { set, location };
    } catch (error) {
      const refused = (error as Error).message;
      say({ type: 'run', line: set.line, state: 'refused', reason: refused }, `line ${set.line} was not started: ${refused}`);
      return { set, refused };
    }
  });
  const refused = started.some((each) => each.refused !== undefined) ? [exit.failed] : [];
  if (options.detach) return refused[0] ?? exit.done;

  const codes = await Promise.all(
    started.flatMap(({ set, location }) =>
      location
        ? [
            follow(project, location, signal).then((last) => {
              if (!last) return exit.interrupted;
              const { view } = last;
              say(
                { type: 'run', line: set.line, run: view.run, state: view.state, ...(view.error ? { error: view.error } : {}) },
                `${view.run} ${view.state}${view.error ? `: ${view.error.message}` : ''}`,
              );
              return stateCode(view);
            }),
          ]
        : [],
    ),
  );
  const worse = worst([...refused, ...codes]);
  if (worse !== exit.interrupted) return worse;
  const open = codes.filter((code) => code === exit.interrupted).length;
  throw new CommandError(`interrupted: ${counted(open, 'run')} ${open === 1 ? 'goes' : 'go'} on without this command`, {
    remedy: 'portolan runs',
    code: worse,
  });
}

/** The file for each set. Fails with `UsageError` that names the line of the set. */
async function compileSets(
  context: VerbContext<typeof launchOptions>,
  { config }: Project,
  file: string,
  sets: string,
): Promise<CompiledSet[]> {
  await using tables = lendToStart(config, context);
  const compiled: CompiledSet[] = [];
  for (const set of await readParamSets(resolve(context.cwd, sets))) {
    try {
      compiled.push({ set, file: await compileFile(context, config, file, { values: set.values, tables }) });
    } catch (error) {
      const about = `${sets}:${set.line}: `;
      if (error instanceof InvalidFile) throw new InvalidFile(error.file, error.findings, about);
      throw error instanceof UsageError ? new UsageError(about + error.message, error.remedy) : error;
    }
  }
  return compiled;
}

/** The last state of a run: its end, or the moment from which only a person can go on; undefined where it was interrupted before. */
async function follow(project: Project, location: RunLocation, signal: AbortSignal): Promise<RunSnapshot | undefined> {
  for await (const snapshot of watchRun(project.place, location, { signal, ...watch }))
    if ((isOver(snapshot.view) && snapshot.source === 'result') || snapshot.view.state === 'approval') return snapshot;
  return undefined;
}

/** Interrupted before failed, before inconclusive, before waiting for a person. */
const worst = (codes: readonly number[]): number =>
  [exit.interrupted, exit.failed, exit.inconclusive, exit.approval].find((code) => codes.includes(code)) ?? exit.done;
