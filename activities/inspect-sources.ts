import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { BadInput, type Tables } from '../child/tables.ts';
import type { RunRef, SourceFingerprint } from '../pipelines/plan.ts';

export type InspectInput = { run: RunRef; sources: { step: string; field: string; path: string }[] };

/** Fingerprints every source where the work will be done, before anything is written. */
export async function inspectSources({ run, sources }: InspectInput, tables: Tables): Promise<{ [path: string]: SourceFingerprint }> {
  const prints: { [path: string]: SourceFingerprint } = {};
  for (const { step, field, path } of sources) {
    if (prints[path]) continue;
    if (!existsSync(path)) {
      throw new BadInput(
        'bad_input',
        `steps.${step}.with.${field}: ${path} is not on the worker's host ${hostname()} (the run was started on ${run.host}); put the file there, or use a folder that both share`,
      );
    }
    const { sha256, bytes, rows } = await tables.inspect(path);
    prints[path] = { sha256, bytes, rows };
  }
  return prints;
}
