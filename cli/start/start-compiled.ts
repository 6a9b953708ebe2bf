import { hostname } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Reuse, RunRef } from '../../pipelines/plan.ts';
import type { RunLocation } from '../../runs/find.ts';
import { startRun } from '../../runs/start.ts';
import type { Project } from '../project/project.ts';
import type { CompiledFile } from './compile-file.ts';

export type Start = {
  /** Id of the new run. */
  id: string;
  compiled: CompiledFile;
  /** Names of the parameters that were given. */
  given: string[];
  /** Who starts it. */
  who: string;
  taskQueue?: string | undefined;
  /** `rerun`: the run before it. */
  former?: RunRef['former'] | undefined;
  reuse?: Reuse;
};

/** Workers of another queue than the usual one are named by PORTOLAN_TASK_QUEUE, here as in `portolan worker`. */
export const queueOf = ({ env }: { env: Readonly<Record<string, string | undefined>> }): string | undefined =>
  env['PORTOLAN_TASK_QUEUE'] || undefined;

/** Starts a compiled file and gives where the run is. Fails with `RunHeld` while another run holds what this one needs. */
export async function startCompiled(project: Project, start: Start): Promise<RunLocation & { firstRunId: string }> {
  const { id, compiled, taskQueue, former, ...rest } = start;
  const { plan, baseDir, connections, open } = compiled;
  const store = pathToFileURL(join(project.config.store, id)).href;
  const { workflowId, runId } = await startRun({
    plan,
    run: { id, pipeline: plan.pipeline, store, baseDir, host: hostname(), ...(former ? { former } : {}) },
    client: project.temporal.client,
    connections,
    file: open.loaded.file,
    ...rest,
    ...(taskQueue === undefined ? {} : { taskQueue }),
  });
  return { run: id, workflowId, store, firstRunId: runId };
}
