import { existsSync } from 'node:fs';
import { BadInput } from '../child/tables.ts';
import type { Plan } from '../pipelines/plan.ts';
import type { SourceFacts } from '../pipelines/step.ts';

/** What is known of the sources that are on this host, by path; one that cannot be read is left out. */
export const inspectHere = async ({ sources }: Plan, signal: AbortSignal): Promise<Map<string, SourceFacts>> => {
  const found = new Map<string, SourceFacts>();
  const paths = [...new Set(sources.map(({ path }) => path))].filter((path) => existsSync(path));
  if (paths.length === 0) return found;
  const { createTables } = await import('../child/create-tables.ts');
  const tables = createTables();
  try {
    for (const path of paths) {
      try {
        found.set(path, await tables.inspect(path, { signal }));
      } catch (error) {
        if (!(error instanceof BadInput)) throw error;
      }
    }
  } finally {
    await tables.close();
  }
  return found;
};
