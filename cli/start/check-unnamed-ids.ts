import { mustBeDone } from '../../pipelines/ends.ts';
import { stepsIn } from '../../pipelines/expressions/references.ts';
import type { Plan, PlanStep } from '../../pipelines/plan.ts';
import { definition as ensure } from '../../pipelines/steps/dataset/ensure.ts';
import { definition as list } from '../../pipelines/steps/points/list.ts';
import type { TableFinding } from './check-table-columns.ts';

type Fields = { readonly [field: string]: unknown };

/**
 * Where `points.list` names no column and its table has several, none of which is called as the ids of the dataset are. Only of a map
 * whose dataset the file names: of another one nobody knows here what its ids are called.
 */
export function unnamedIds(id: string, plan: Pick<Plan, 'steps'>, columns: readonly string[]): TableFinding[] {
  const step = plan.steps.find((each) => each.id === id);
  if (step?.use !== list.name || !mustBeDone(id, plan.steps)) return [];
  const { map, column } = step.with as Fields;
  const idField = column === undefined && columns.length > 1 ? idFieldOf(plan, map) : undefined;
  if (idField === undefined || columns.includes(idField)) return [];
  return [
    {
      code: 'no-such-column',
      message: `none of the columns ${columns.slice(0, 20).join(', ')} is called '${idField}' as the ids of the dataset are`,
      path: ['source'],
      remedy: 'name the column of the ids: column: …',
    },
  ];
}

/** What a file says that the ids of the dataset of a map are called. */
function idFieldOf(plan: Pick<Plan, 'steps'>, map: unknown): string | undefined {
  const made = readIn(plan, map);
  const dataset = made && readIn(plan, (made.with as Fields)['dataset']);
  if (dataset?.use !== ensure.name) return undefined;
  const { data } = ensure.input.safeParse(dataset.with);
  return data?.idField;
}

/** The one step that a value reads. */
function readIn({ steps }: Pick<Plan, 'steps'>, value: unknown): PlanStep | undefined {
  const [id, ...more] = new Set(stepsIn(value));
  return more.length > 0 ? undefined : steps.find((each) => each.id === id);
}
