import { listFiles } from '../../child/listed-files.ts';
import { isHere } from '../../child/source-files.ts';
import { BadInput } from '../../errors/classes.ts';
import type { Plan, PlanSource } from '../../pipelines/plan.ts';
import { definition as agents } from '../../pipelines/steps/agent/run.ts';
import { definition as parse } from '../../pipelines/steps/documents/parse.ts';
import type { Finding } from '../../pipelines/file/findings.ts';
import { checkRowFields } from './check-row-fields.ts';
import { namesOf, placed, wrongNames, type CheckColumns, type TableFinding } from './check-table-columns.ts';
import { lookAtNamedFiles } from './look-at-named-files.ts';

/** What there is to say of a file where something is done for each. */
const columnsOfFiles = ['path', 'name', 'bytes', 'modified'];

/** What is wrong with the files that a step is given by a pattern: with the table of files that they are, or with what it asks of each. */
export async function checkFilesOf({ step, field, path }: PlanSource, plan: Plan, parsed: CheckColumns): Promise<Finding[]> {
  const names = namesOf(plan, step, parsed.steps);
  const { use, each } = plan.steps.find(({ id }) => id === step)!;
  if (each) return checkRowFields(step, plan, columnsOfFiles, parsed);
  if (names.length === 0 || !(await isHere(path))) return [];
  const say = (finding: TableFinding): Finding => placed(step, plan, parsed, finding);
  if (use === agents.name) return wrongNames(names, { source: columnsOfFiles }).map(say);
  if (use !== parse.name) return [];
  const { files, bytes } = await listFiles(path);
  if (files.length > 1)
    return [
      say({
        code: 'bad-source',
        message: `${path} matches ${files.length} files, and column is for one table that names them`,
        path: [field],
        remedy: 'name the table, or leave column out: then these are the documents',
      }),
    ];
  try {
    const tables = await parsed.tables.get();
    const wrong = wrongNames(names, await tables.checkColumns({ path: files[0]!.path }, {}));
    if (wrong.length > 0) return wrong.map(say);
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    return [
      say({ code: 'bad-source', message: error.message, path: [field], remedy: 'portolan preview FILE shows what can be read of it' }),
    ];
  }
  const { signal } = new AbortController();
  const measured = new Map([[step, { rows: 0, bytes, sent: 0, shards: 0, arrowBytes: [0, 0] as [number, number] }]]);
  const looked = (await lookAtNamedFiles(plan, { tables: parsed.tables, measured, baseDir: parsed.baseDir, signal })).get(step);
  const problems = looked && 'problems' in looked ? looked.problems : [];
  return problems.map((message) => say({ code: 'bad-source', message, path: [field], remedy: 'mend the table' }));
}
