import { evaluateTree, ExpressionError } from '../../pipelines/expressions/evaluate.ts';
import { references } from '../../pipelines/expressions/references.ts';
import { hasExpression } from '../../pipelines/expressions/scan.ts';
import { namedFiles } from '../../pipelines/compile/plan-sources.ts';
import { mapExpressions } from '../../pipelines/file/embedded-expressions.ts';
import type { Plan, PlanSource } from '../../pipelines/plan.ts';
import type { Step } from '../../pipelines/step.ts';
import { timeOf } from '../../pipelines/window.ts';
import type { Json } from '../../text/json.ts';
import { definitionIn } from './check-table-columns.ts';

/**
 * Queries of which nothing but the time of the run is open, as one that is due at `now` asks them: a plan leaves them to the run, and
 * their grammar, tables and columns are the same in every run.
 */
export function timedSources(plan: Plan, steps: Readonly<Record<string, Step>>, now: number): PlanSource[] {
  const run = { id: 'run', pipeline: plan.pipeline, ...timeOf(now, plan.window) };
  const inTime = (text: string): Json => {
    const { steps: others, items } = references(text);
    return others.length + items.length > 0 ? text : evaluateTree(text, { params: plan.params, steps: {}, run });
  };
  return plan.steps.flatMap((step) => {
    const paths = definitionIn(plan, step.id, steps)?.paths ?? [];
    try {
      const sources = paths.flatMap((field) => {
        const { sql, ...rest } = ((step.with as { [field: string]: Json })[field] ?? {}) as { sql?: Json };
        return typeof sql === 'string' && hasExpression(sql) ? [[field, { ...rest, sql: mapExpressions(sql, inTime) }] as const] : [];
      });
      return namedFiles({ ...step, with: Object.fromEntries(sources) }, { paths });
    } catch (error) {
      if (error instanceof ExpressionError) return [];
      throw error;
    }
  });
}
