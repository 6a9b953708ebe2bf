import { isFolderHere, isHere, pathsOf } from '../../child/source-files.ts';
import { BadInput } from '../../errors/classes.ts';
import type { Tables } from '../../child/tables.ts';
import { hasExpression } from '../../pipelines/expressions/scan.ts';
import type { FindingCode } from '../../pipelines/file/finding-codes.ts';
import type { Finding, Locate } from '../../pipelines/file/findings.ts';
import type { Plan, PlanSource } from '../../pipelines/plan.ts';
import type { Json } from '../../text/json.ts';
import { isQuery, pathOf, sourceOf } from '../../pipelines/source-name.ts';

const written = (columns: Json | undefined): Record<string, string> =>
  typeof columns === 'object' && columns !== null && !Array.isArray(columns)
    ? Object.fromEntries(
        Object.entries(columns).filter((entry): entry is [string, string] => typeof entry[1] === 'string' && !hasExpression(entry[1])),
      )
    : {};

/** The character at which so many bytes of a text end. */
const characterAt = (text: string, bytes: number): number => Buffer.from(text).subarray(0, bytes).toString().length;

/** The text of a query as it stands in the file; undefined where parameters were put into it. */
const textIn = (value: Json | undefined, step: string, field: string): unknown =>
  ['steps', step, 'with', field, 'sql'].reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);

type Checked = { locate: Locate; value: Json | undefined };

/** What is wrong with one source and the columns made of it. A file that is not here is the worker's to inspect. */
async function findingsOf(planned: PlanSource, plan: Plan, { locate, value }: Checked, tables: Tables): Promise<Finding[]> {
  const { step, field, sql } = planned;
  const source = sourceOf(planned);
  const at = ['steps', step, 'with'];
  const finding = (code: FindingCode, message: string, place: string[], offset?: number): Finding => ({
    code,
    message,
    path: place.join('.'),
    ...locate.value(place, offset),
  });
  if (isQuery(source)) {
    const [refusal] = await tables.checkSql(source);
    const inFile = textIn(value, step, field) === sql;
    if (refusal)
      return [
        finding(
          'bad-sql',
          refusal.message,
          [...at, field, 'sql'],
          inFile && refusal.at !== undefined ? characterAt(source.sql, refusal.at) : undefined,
        ),
      ];
  }
  const away: string[] = [];
  for (const path of pathsOf(source)) if (!(await isHere(path))) away.push(path);
  // A pattern that fits nothing in a folder of this host fits nothing on a worker that shares it.
  const unmatched = [];
  for (const path of away) if (/[*?[{]/.test(path) && (await isFolderHere(path))) unmatched.push(path);
  if (unmatched.length > 0)
    return unmatched.map((path) => {
      const table = isQuery(source)
        ? ['tables', ...Object.keys(source.tables).filter((name) => pathOf(source.tables[name]!) === path)]
        : [];
      return finding('bad-source', `${path}: no file matches`, [...at, field, ...table.slice(0, 2)]);
    });
  if (away.length > 0) return [];
  const columns = written((plan.steps.find(({ id }) => id === step)?.with as { columns?: Json } | undefined)?.columns);
  try {
    const found = await tables.checkColumns(source, columns);
    return found.map(({ column, message }) => finding('bad-column', `${column}: ${message}`, [...at, 'columns', column]));
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    return [finding('bad-source', error.message, isQuery(source) ? [...at, field, 'sql'] : [...at, field])];
  }
}

/**
 * Findings about queries, and about sources that are on this host and the column expressions over them. A source that is
 * elsewhere is the worker's to inspect, which says so with both host names.
 */
export const checkColumns = async (plan: Plan, parsed: Checked): Promise<Finding[]> => {
  const sources: PlanSource[] = [];
  for (const planned of plan.sources.filter(({ raw }) => !raw))
    if (planned.sql !== undefined || pathsOf(sourceOf(planned)).some((path) => /[*?[{]/.test(path)) || (await isHere(sourceOf(planned))))
      sources.push(planned);
  if (sources.length === 0) return [];
  const { createTables } = await import('../../child/host/create-tables.ts');
  const tables = createTables();
  try {
    const findings = [];
    for (const planned of sources) findings.push(await findingsOf(planned, plan, parsed, tables));
    return findings.flat();
  } finally {
    await tables.close();
  }
};
