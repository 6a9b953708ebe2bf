import { existsSync } from 'node:fs';
import { BadInput } from '../child/tables.ts';
import { hasExpression } from '../pipelines/expressions/scan.ts';
import type { Finding, Locate } from '../pipelines/findings.ts';
import type { Json, Plan } from '../pipelines/plan.ts';

const written = (columns: Json | undefined): Record<string, string> =>
  typeof columns === 'object' && columns !== null && !Array.isArray(columns)
    ? Object.fromEntries(
        Object.entries(columns).filter((entry): entry is [string, string] => typeof entry[1] === 'string' && !hasExpression(entry[1])),
      )
    : {};

/**
 * Findings about column expressions of sources that are on this host. A source that is elsewhere is the worker's to
 * inspect, which says so with both host names.
 */
export const checkColumns = async (plan: Plan, { locate }: { locate: Locate }): Promise<Finding[]> => {
  const sources = plan.sources.filter(({ path }) => existsSync(path));
  if (sources.length === 0) return [];
  const { createTables } = await import('../child/create-tables.ts');
  const tables = createTables();
  const findings: Finding[] = [];
  try {
    for (const { step, field, path } of sources) {
      const columns = written((plan.steps.find(({ id }) => id === step)?.with as { columns?: Json } | undefined)?.columns);
      const at = ['steps', step, 'with'];
      try {
        for (const { column, message } of await tables.checkColumns(path, columns)) {
          const place = [...at, 'columns', column];
          findings.push({ code: 'bad-column', message: `${column}: ${message}`, path: place.join('.'), ...locate.value(place) });
        }
      } catch (error) {
        if (!(error instanceof BadInput)) throw error;
        findings.push({ code: 'bad-source', message: error.message, path: [...at, field].join('.'), ...locate.value([...at, field]) });
      }
    }
  } finally {
    await tables.close();
  }
  return findings;
};
