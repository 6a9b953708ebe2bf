import { who } from '../../config/user.ts';
import { endOf } from '../../runs/end.ts';
import { findRun } from '../../runs/find.ts';
import { newRunId } from '../../runs/run-id.ts';
import { readRun } from '../../runs/view.ts';
import { withValues } from '../../runs/values.ts';
import type { RunView } from '../../workflows/messages.ts';
import { openRuns } from '../project/project.ts';
import { missingForEmbedding } from './check-embedding.ts';
import { refuseMissing } from './check-missing.ts';
import { refuseMistakes } from './check-mistakes.ts';
import { checkConnections } from './check-connections.ts';
import { compileFile } from './compile-file.ts';
import { startCompiled } from './start-compiled.ts';

export type StartOptions = {
  connection?: string;
  /** Steps that may do what cannot be taken back although no gate approves them. */
  accept?: string[];
  /** The time that the run is for, by the clocks of the schedule's zone. */
  at?: string;
  /** Who starts it. Default: PORTOLAN_USER, else user@host. */
  as?: string;
};

/** A project opened by a program: one configuration, one connection to Temporal, any number of runs. */
export type OpenProject = {
  /** Starts a pipeline file. Fails as `portolan run` does: with every finding, or while another run holds what this one needs. */
  start(file: string, params?: { readonly [name: string]: unknown }, options?: StartOptions): Promise<{ run: string; workflowId: string }>;
  /** The run as it is when it ends, outputs read from the run store. */
  ended(run: string, options?: { signal?: AbortSignal }): Promise<RunView>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Opens the project of a folder. */
export async function openProject({ cwd = process.cwd() }: { cwd?: string } = {}): Promise<OpenProject> {
  const project = await openRuns({ cwd });
  const checked = new Map<string, Promise<void>>();
  const check = (reached: { [service: string]: string }[]): Promise<void> => {
    const key = JSON.stringify(reached);
    const known = checked.get(key) ?? checkConnections(project.config, reached);
    checked.set(key, known);
    // A service that was away may be back at the next start.
    known.catch(() => checked.delete(key));
    return known;
  };
  const close = (): Promise<void> => project.close();
  return {
    async start(file, params = {}, { connection, accept, at, as } = {}) {
      const compiled = await compileFile({ cwd, options: { connection, accept, at } }, project.config, file, { values: params });
      refuseMissing(missingForEmbedding(compiled, project.config));
      await check(compiled.reached);
      await refuseMistakes(compiled, project.config, new AbortController().signal);
      const id = newRunId(compiled.plan.pipeline);
      const { workflowId } = await startCompiled(project, {
        id,
        compiled,
        given: Object.keys(params),
        who: who(as),
        origin: { command: 'openProject' },
      });
      return { run: id, workflowId };
    },
    async ended(run, { signal } = {}) {
      const location = await findRun(project.place, run);
      await endOf(project.place, location, signal ? { signal } : {});
      const { view } = await readRun(project.place, location);
      return { ...view, ...(view.outputs ? { outputs: await withValues(view.outputs) } : {}) };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
