import { canonical } from '../text/canonical-json.ts';
import type { Json } from '../text/json.ts';
import { before, inOrder } from './compile/order.ts';
import { stepsIn } from './expressions/references.ts';
import { usedBy } from './instantiate.ts';
import { inside, type EndStatus, type Plan, type PlanStep } from './plan.ts';
import { sha256Of } from './sandbox-hash.ts';

/** A run that is to be taken back, and how its steps ended; `reusedFrom`: another run did it. */
export type UndoOf = {
  run: string;
  ended: readonly { id: string; status: string; output?: Json; reusedFrom?: string }[];
  /** Steps that were taken back already. */
  already?: ReadonlySet<string>;
  /** Steps that failed or were cancelled, and are taken back all the same: their undo reads nothing of them. */
  failed?: ReadonlySet<string>;
  /** Steps of the undo that may do what cannot be taken back, although no gate approved them. */
  accept?: readonly string[];
};

/** Ends of an undo after which those of the steps below it begin: what was left out by its `when` was nothing to take back. */
const undone: EndStatus[] = ['done', 'tolerated', 'skipped'];

/**
 * The plan of the run that takes another one back; undefined where there is nothing to take back. Each step that is done, or whose failure
 * was tolerated, is taken back once all that stood on it is. Also in the workflow sandbox.
 */
export function undoPlan(plan: Plan, { run, ended, already = new Set(), failed = new Set(), accept = [] }: UndoOf): Plan | undefined {
  const { steps: all = [], sources = [] } = plan.undo ?? {};
  const acted = new Set(
    ended.flatMap(({ id, status, reusedFrom }) =>
      (status === 'done' || status === 'tolerated' || failed.has(id)) && reusedFrom === undefined && !already.has(id) ? [id] : [],
    ),
  );
  const heads = all.filter(({ undoes }) => undoes !== undefined && acted.has(undoes));
  if (heads.length === 0) return undefined;
  const needs = new Map(inside(plan, undefined).map((step) => [step.id, step.needs]));
  const standsOn = new Map(heads.map(({ undoes }) => [undoes!, before(undoes!, needs)]));
  const ordered = heads.map((head): PlanStep => {
    const above = heads.filter(({ undoes }) => standsOn.get(undoes!)!.has(head.undoes!)).map(({ id }) => id);
    return { ...head, needs: above, ...(above.length > 0 && { accepts: Object.fromEntries(above.map((id) => [id, undone])) }) };
  });
  const steps = inOrder([...ordered, ...partsOf(heads, all)]).map((step): PlanStep =>
    accept.includes(step.id) ? { ...step, approved: true } : step,
  );
  const read = readBy(steps);
  const results = ended.flatMap(({ id, output }) => (read.has(id) && output !== undefined ? [[id, output] as const] : []));
  const { version, pipeline, cel, params, window, concurrency, notify } = plan;
  const used = usedBy(steps, plan.pipelines);
  const on = notify?.on.filter((happening) => happening !== 'recovered') ?? [];
  const body: Omit<Plan, 'hash'> = {
    version,
    pipeline,
    cel,
    params,
    steps,
    outputs: {},
    sources: sources.filter(({ step }) => steps.some(({ id }) => id === step)),
    ...(window && { window }),
    concurrency: concurrency && { key: concurrency.key, ...(concurrency.when === 'queue' && { when: 'queue' }) },
    ...(notify && on.length > 0 && { notify: { on, to: notify.to } }),
    undoes: { run, results: Object.fromEntries(results) },
    ...(Object.keys(used).length > 0 && { pipelines: used }),
  };
  return { ...body, hash: sha256Of(canonical(body)) };
}

/** Steps whose results are read. */
const readBy = (steps: readonly PlanStep[]): Set<string> =>
  new Set(steps.flatMap(({ with: input, when, each }) => stepsIn([input, when ?? true, each?.outputs ?? {}])));

/** True of a step whose undo can be done whatever the step gave: it reads nothing of it. */
export function undoneBlindly({ undo }: Plan, id: string): boolean {
  const heads = undo?.steps.filter(({ undoes }) => undoes === id) ?? [];
  return heads.length > 0 && !readBy([...heads, ...partsOf(heads, undo!.steps)]).has(id);
}

/** What stands in some steps, at whatever depth. */
function partsOf(of: readonly PlanStep[], all: readonly PlanStep[]): PlanStep[] {
  const inner = all.filter((step) => of.some(({ id }) => step.in === id));
  return inner.length === 0 ? [] : [...inner, ...partsOf(inner, all)];
}
