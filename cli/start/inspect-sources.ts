import { listFiles } from '../../child/listed-files.ts';
import { isHere } from '../../child/source-files.ts';
import { BadInput } from '../../errors/classes.ts';
import { fileFacts } from '../../files/file-facts.ts';
import type { Plan } from '../../pipelines/plan.ts';
import { printName, sourceOf } from '../../pipelines/source-name.ts';
import type { SourceFacts } from '../../pipelines/source-spec.ts';
import type { LentTables } from './lent-tables.ts';

async function listPrint(path: string): Promise<{ sha256: string; bytes: number }> {
  const { sha256, bytes } = await listFiles(path);
  return { sha256, bytes };
}

/** What is known of the sources that are on this host, by the name of its fingerprint; one that cannot be read is left out. */
export const inspectHere = async ({ sources }: Plan, tables: LentTables, signal: AbortSignal): Promise<Map<string, SourceFacts>> => {
  const found = new Map<string, SourceFacts>();
  const named = new Map(sources.filter(({ raw }) => !raw).map((planned) => [planned.path, sourceOf(planned)]));
  for (const { path, raw, list } of sources)
    if (raw && (await isHere(path)))
      found.set(printName({ path, raw, ...(list && { list }) }), {
        path,
        rows: 0,
        columns: [],
        ...(await (list ? listPrint(path) : fileFacts(path))),
      });
  for (const [name, source] of named) if (!(await tables.reaches(source))) named.delete(name);
  if (named.size === 0) return found;
  const opened = await tables.get();
  for (const [name, source] of named) {
    try {
      found.set(name, await opened.inspect(source, { signal }));
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
    }
  }
  return found;
};
