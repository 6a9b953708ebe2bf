import { evaluateTree, ExpressionError } from '../../pipelines/expressions/evaluate.ts';
import { references } from '../../pipelines/expressions/references.ts';
import { namedFiles } from '../../pipelines/compile/plan-sources.ts';
import { mapExpressions } from '../../pipelines/file/embedded-expressions.ts';
import type { Plan, PlanSource } from '../../pipelines/plan.ts';
import type { Step } from '../../pipelines/step.ts';
import { timeOf } from '../../pipelines/window.ts';
import { canonical } from '../../text/canonical-json.ts';
import { isFields, type Json, type JsonFields } from '../../text/json.ts';
import { definitionIn } from './check-table-columns.ts';

/**
 * Queries of which nothing but the time of the run is open, as one that is due at `now` asks them, of files and of databases: a plan leaves
 * them to the run, and their grammar, tables and columns are the same in every run.
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
      const asked = paths.flatMap((field) => {
        const source = (step.with as JsonFields)[field] ?? null;
        const timed = withQueries(source, (query) => mapExpressions(query, inTime));
        return canonical(timed) === canonical(source) ? [] : [[field, timed] as const];
      });
      return namedFiles({ ...step, with: Object.fromEntries(asked) }, { paths });
    } catch (error) {
      if (error instanceof ExpressionError) return [];
      throw error;
    }
  });
}

/** A source with other queries: over files, and of databases, which may be tables of one over files. */
function withQueries(source: Json, change: (query: string) => Json): Json {
  if (!isFields(source)) return source;
  const { sql, postgres, query, tables } = source;
  if (typeof sql === 'string' && isFields(tables)) {
    const changed = Object.entries(tables).map(([name, table]) => [name, withQueries(table, change)]);
    return { ...source, sql: change(sql), tables: Object.fromEntries(changed) };
  }
  return postgres !== undefined && typeof query === 'string' ? { ...source, query: change(query) } : source;
}
