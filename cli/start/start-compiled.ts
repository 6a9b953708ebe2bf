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
  /** `rerun`: the run before it. */
  former?: RunRef['former'] | undefined;
  reuse?: Reuse;
};

/** Starts a compiled file and gives where the run is. Fails with `RunHeld` while another run holds what this one needs. */
export async function startCompiled(project: Project, start: Start): Promise<RunLocation & { firstRunId: string }> {
  const { id, compiled, former, ...rest } = start;
  const { plan, baseDir, connections, open } = compiled;
  const store = pathToFileURL(join(project.config.store, id)).href;
  const { workflowId, runId } = await startRun({
    plan,
    run: { id, pipeline: plan.pipeline, store, baseDir, host: hostname(), ...(former ? { former } : {}) },
    client: project.temporal.client,
    connections,
    file: open.loaded.file,
    ...rest,
  });
  return { run: id, workflowId, store, firstRunId: runId };
}
