import { hostname } from 'node:os';
import { pathToFileURL } from 'node:url';
import type { Reuse } from '../../pipelines/plan.ts';
import type { NamedStart } from '../../pipelines/run-start.ts';
import type { RunLocation } from '../../runs/find.ts';
import { startRun } from '../../runs/start.ts';
import type { Project } from '../project/project.ts';
import type { Launched } from './compile-file.ts';

/** Who starts a compiled file as which run, names of the parameters that were given, and of `rerun` the run before it. */
export type Start = Pick<NamedStart, 'id' | 'who' | 'given' | 'former' | 'origin' | 'as'> & { compiled: Launched; reuse?: Reuse };

/** Starts a compiled file and gives where the run is. Fails with `RunHeld` while another run holds what this one needs. */
export async function startCompiled(project: Project, { compiled, reuse, ...who }: Start): Promise<RunLocation & { firstRunId: string }> {
  const { plan, baseDir, connections, open, at } = compiled;
  const { workflowId, runId, store } = await startRun({
    client: project.temporal.client,
    plan,
    start: {
      ...who,
      store: pathToFileURL(project.config.store).href,
      baseDir,
      host: hostname(),
      connections,
      ...(at === undefined ? {} : { at }),
      ...(open.loaded.file === undefined ? {} : { file: open.loaded.file }),
    },
    ...(reuse && { reuse }),
  });
  return { run: who.id, workflowId, store, firstRunId: runId };
}
