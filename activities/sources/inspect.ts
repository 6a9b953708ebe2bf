import { hostname } from 'node:os';
import { isHere, pathsOf } from '../../child/source-files.ts';
import { fileFacts } from '../../files/file-facts.ts';
import { BadInput } from '../../errors/classes.ts';
import type { Tables } from '../../child/tables.ts';
import type { PlanSource, RunRef, SourceFingerprint } from '../../pipelines/plan.ts';
import { sourceOf } from '../../pipelines/source-name.ts';

export type InspectInput = { run: RunRef; sources: PlanSource[] };

/** Fingerprints every source where the work will be done, before anything is written. A cancelled run ends the reading. */
export async function inspectSources(
  { run, sources }: InspectInput,
  tables: Tables,
  signal: AbortSignal,
): Promise<{ [path: string]: SourceFingerprint }> {
  const prints: { [path: string]: SourceFingerprint } = {};
  for (const planned of sources) {
    if (prints[planned.path]) continue;
    const source = sourceOf(planned);
    for (const path of pathsOf(source)) {
      if (await isHere(path)) continue;
      throw new BadInput(
        'bad_input',
        `steps.${planned.step}.with.${planned.field}: ${path} is not on the worker's host ${hostname()} (the run was started on ${run.host}); put the file there, or use a folder that both share`,
      );
    }
    const { sha256, bytes, rows } = planned.raw
      ? { ...(await fileFacts(planned.path)), rows: 0 }
      : await tables.inspect(source, { signal });
    prints[planned.path] = { sha256, bytes, rows };
  }
  return prints;
}
