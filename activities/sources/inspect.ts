import { hostname } from 'node:os';
import { listFiles } from '../../child/listed-files.ts';
import { isHere } from '../../child/source-files.ts';
import { fileFacts } from '../../files/file-facts.ts';
import { BadInput } from '../../errors/classes.ts';
import type { Tables } from '../../child/tables.ts';
import { landedTables } from '../../landing/landed-tables.ts';
import type { PlanSource, RunRef, SourceFingerprint } from '../../pipelines/plan.ts';
import { isRemote, pathOf, printName, sourceOf, tablesOf } from '../../pipelines/source-name.ts';
import type { LandFor } from './land.ts';

export type InspectInput = { run: RunRef; sources: PlanSource[] };

/**
 * Fingerprints every source where the work will be done, before anything is written; what is elsewhere is fetched into the run's folder
 * first. A cancelled run ends the reading.
 */
export async function inspectSources(
  { run, sources }: InspectInput,
  { tables, land }: { tables: Tables; land: LandFor },
  signal: AbortSignal,
): Promise<{ [path: string]: SourceFingerprint }> {
  const prints: { [path: string]: SourceFingerprint } = {};
  for (const planned of sources) {
    const name = printName(planned);
    if (prints[name]) continue;
    const source = sourceOf(planned);
    for (const [, file] of tablesOf(source)) {
      if (isRemote(file) || (await isHere(file))) continue;
      throw new BadInput(
        'bad_input',
        run.host === hostname()
          ? `steps.${planned.step}.with.${planned.field}: there is no ${pathOf(file)} on ${hostname()}, where the worker runs; put the file there, then run again`
          : `steps.${planned.step}.with.${planned.field}: ${pathOf(file)} is not on the worker's host ${hostname()} (the run was started on ${run.host}); put the file there, or use a folder that both share`,
      );
    }
    if (planned.list) {
      const { files, sha256, bytes } = await listFiles(planned.path);
      prints[name] = { sha256, bytes, rows: files.length };
      continue;
    }
    if (planned.raw) {
      prints[name] = { ...(await fileFacts(planned.path, { signal })), rows: 0 };
      continue;
    }
    const fetching = land();
    const { sha256, bytes, rows } = await landedTables(tables, fetching.land).inspect(source, { signal });
    const { landed } = fetching;
    prints[name] = { sha256, bytes, rows, ...(Object.keys(landed).length > 0 && { landed }) };
  }
  return prints;
}
