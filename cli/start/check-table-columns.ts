import type { CheckedColumns } from '../../child/tables.ts';
import { mustBeDone } from '../../pipelines/ends.ts';
import { known } from '../../pipelines/file/embedded-expressions.ts';
import { ofLoop } from '../../pipelines/file/flat-steps.ts';
import { formatPath, help, type Finding } from '../../pipelines/file/findings.ts';
import { inputInFile, type Plan } from '../../pipelines/plan.ts';
import { locateWritten } from '../../pipelines/compile/where-written.ts';
import type { Step, StepOrLoop } from '../../pipelines/step.ts';
import type { TableColumn } from '../../pipelines/steps/table-columns.ts';
import { nearest } from '../../text/nearest.ts';
import { counted } from '../../text/units.ts';
import type { FindingCode } from '../../pipelines/file/finding-codes.ts';
import type { Checked } from './check-files.ts';
import type { LentTables } from './lent-tables.ts';

export type CheckColumns = Checked & {
  steps: Readonly<Record<string, Step>>;
  /** Folder of the project: what is missing below it is missing altogether. */
  projectDir: string;
  /** Files may be on the worker's host alone. */
  filesElsewhere?: boolean;
  tables: LentTables;
};

/** Something wrong with a column that a step names; `path` within its input, `by`: what was most likely meant there. */
export type TableFinding = {
  code: FindingCode;
  message: string;
  path: TableColumn['path'];
  by?: string | undefined;
  remedy: string;
};

/** A finding at its place in the input of a step. */
export function placed(step: string, plan: Plan, parsed: CheckColumns, { code, message, path, by, remedy }: TableFinding): Finding {
  const locate = locateWritten(parsed.locate, parsed);
  const place = [...inputInFile(plan, step), ...path];
  return { code, message, path: formatPath(place), ...locate.value(place), ...help(locate, place, { value: by }, remedy) };
}

/** What a step of a plan is. */
export const definitionIn = ({ steps: planned }: Pick<Plan, 'steps'>, id: string, steps: Readonly<Record<string, Step>>) => {
  const step = planned.find((each) => each.id === id);
  const definition: StepOrLoop | undefined = step && (step.each ? ofLoop(step.with as object) : steps[step.use]);
  return definition;
};

/** The columns of its own table that a step names: none where a run can succeed without it. */
export function namesOf(plan: Pick<Plan, 'steps'>, id: string, steps: Readonly<Record<string, Step>>): TableColumn[] {
  const step = plan.steps.find((each) => each.id === id);
  return (step && mustBeDone(id, plan.steps) && definitionIn(plan, id, steps)?.names?.(known(step.with))) || [];
}

/** Of a table without rows nobody asks for a column but for the one that names them. */
export const wrongNames = (names: readonly TableColumn[], looked: Omit<CheckedColumns, 'columns' | 'findings'>): TableFinding[] =>
  names.flatMap((each) => (looked.empty && each.as !== 'key' ? [] : wrongName(each, looked)));

/** `lacking`: the column in quotes, and what reads it. */
export const noColumn = (lacking: string, near: string | undefined, columns: readonly string[]): string =>
  `the table has no column ${lacking}${near === undefined ? '' : `; did you mean '${near}'?`}; it has ${columns.slice(0, 20).join(', ')}`;

function wrongName(
  { column, path, as, renamed = (name) => name }: TableColumn,
  { source, repeated, unnamed }: Omit<CheckedColumns, 'columns' | 'findings'>,
): TableFinding[] {
  if (!source.includes(column)) {
    const near = nearest(column, source);
    return [
      {
        code: 'no-such-column',
        message: noColumn(`'${column}'`, near, source),
        path,
        by: near === undefined ? undefined : renamed(near),
        remedy: 'take one of these',
      },
    ];
  }
  if (as === undefined) return [];
  const lacks = `${counted(unnamed ?? 0, 'row')} ${unnamed === 1 ? 'has' : 'have'} no value in '${column}'`;
  if (as === 'value')
    return unnamed === undefined
      ? []
      : [{ code: 'repeated-id', message: `${lacks}, where the ids stand`, path, remedy: 'take these rows out, or name another column' }];
  const remedy = 'take a column whose values differ, or leave key out: then a row is named by its place';
  return [
    ...(unnamed === undefined ? [] : [{ code: 'repeated-id' as const, message: `${lacks}, by which rows are named`, path, remedy }]),
    ...(repeated === undefined
      ? []
      : [
          {
            code: 'repeated-id' as const,
            message: `the values of '${column}' repeat, and name the rows: "${repeated.id}" stands in ${repeated.rows} rows`,
            path,
            remedy,
          },
        ]),
  ];
}
