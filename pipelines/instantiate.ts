import { canonical } from '../text/canonical-json.ts';
import type { Json } from '../text/json.ts';
import { foldOver, type Fold } from './compile/fold.ts';
import { namedFiles, withResolved } from './compile/plan-sources.ts';
import { hasExpression } from './expressions/scan.ts';
import { expressionsIn } from './file/embedded-expressions.ts';
import { asText } from '../text/as-text.ts';
import { keyFault } from './lock.ts';
import { invalid, paramValues } from './param-values.ts';
import type { Plan, PlanSource, PlanStep, SubPlan } from './plan.ts';
import { sha256Of } from './sandbox-hash.ts';

type Values = { [name: string]: Json };

/** A parameter of a pipeline that a step gives a value which it cannot have, or none. */
export class WrongParam extends Error {
  override readonly name = 'BadInput';
}

/** The folder of a plan's file. */
export const folderOf = ({ file }: Pick<SubPlan, 'file'>): string => file.slice(0, Math.max(1, file.lastIndexOf('/')));

/**
 * The plan of a pipeline for these values of its parameters: what `compile` makes of its file with the same values. `folder`: what paths
 * among the values resolve against. Fails with `WrongParam`. Also in the workflow sandbox.
 */
export function instantiate(sub: SubPlan, given: Values, folder: string, pipelines: Plan['pipelines']): Plan {
  const params = paramsOf(sub, given, folder);
  // What fails here fails again where it is read, in the run that names the step.
  const fold = foldOver(params, () => undefined);
  const steps = sub.plan.steps.map((step) => filled(step, sub, fold));
  const held = heldBy(sub, params);
  const undo = sub.plan.undo && { ...sub.plan.undo, steps: sub.plan.undo.steps.map((step) => filled(step, sub, fold)) };
  const used = usedBy([...steps, ...(undo?.steps ?? [])], pipelines);
  const sourcesOf = (all: readonly PlanStep[]): PlanSource[] => all.flatMap((step) => namedFiles(step, namedIn(sub, step)));
  const body: Omit<Plan, 'hash'> = {
    ...sub.plan,
    params,
    steps,
    outputs: fold(sub.plan.outputs, []) as Values,
    sources: sourcesOf(steps),
    ...(undo && { undo: { ...undo, sources: sourcesOf(undo.steps) } }),
    concurrency: held !== undefined ? { key: held, ...(sub.whenHeld && { when: sub.whenHeld }) } : null,
    ...(Object.keys(used).length > 0 && { pipelines: used }),
  };
  return { ...body, hash: sha256Of(canonical(body)) };
}

/** The key that a run with these parameters holds. Fails with `WrongParam` where they make none that can be held. */
function heldBy({ key, holds }: SubPlan, params: Values): string | undefined {
  let failed: string | undefined;
  const fold = foldOver(params, ({ message }) => void (failed ??= message));
  const name = key === undefined ? 'the key of its dataset' : "'concurrency.key'";
  // A dataset that cannot be named fails its step, where that is done.
  const all = (key === undefined ? holds : [key]).map((text) => asText(fold(text, [])));
  const held = key === undefined ? all.find((text) => !hasExpression(text)) : all[0];
  if (held === undefined) return undefined;
  if (hasExpression(held))
    throw new WrongParam(
      `${name} is ${held}, which gives no text with these parameters${failed === undefined ? '' : `: ${failed}`}; give them other values`,
    );
  const fault = keyFault(name, held);
  if (fault) throw new WrongParam(`${fault.message}; ${fault.remedy}`);
  return held;
}

/** A plan whose parameters nobody knows: the expressions that name them are left in it. */
export const openly = ({ plan }: SubPlan, { pipelines }: Pick<Plan, 'pipelines'>): Plan => ({
  ...plan,
  hash: '',
  params: {},
  sources: [],
  concurrency: null,
  ...(pipelines && { pipelines }),
});

/** The plans of the pipelines that steps run, and those that these run in turn. */
export function usedBy(steps: readonly PlanStep[], pipelines: Plan['pipelines'] = {}): NonNullable<Plan['pipelines']> {
  const found: NonNullable<Plan['pipelines']> = {};
  for (const { kind, version } of steps) {
    const name = String(version);
    if (kind !== 'pipeline' || Object.hasOwn(found, name)) continue;
    const sub = pipelines[name]!;
    Object.assign(found, { [name]: sub }, usedBy([...sub.plan.steps, ...(sub.plan.undo?.steps ?? [])], pipelines));
  }
  return found;
}

const namedIn = ({ paths, lists, forms }: SubPlan, { id, each }: Pick<PlanStep, 'id' | 'each'>) => ({
  paths: paths[id] ?? [],
  lists: lists?.[id] ?? (each ? ['files'] : []),
  files: forms.includes(id),
});

function filled({ when, each, ...step }: PlanStep, sub: SubPlan, fold: Fold): PlanStep {
  const known = when === undefined ? undefined : (fold(when, []) as string | boolean);
  return {
    ...step,
    with: withResolved(fold(step.with, []), namedIn(sub, step), folderOf(sub)),
    ...(known === undefined || known === true ? {} : { when: known }),
    ...(each === undefined ? {} : { each: { ...each, outputs: fold(each.outputs, []) as Values } }),
  };
}

/** Values of the parameters by their types; defaults stand for those that are not given. */
function paramsOf({ params: declared }: SubPlan, given: Values, folder: string): Values {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(declared, name));
  if (unknown !== undefined) throw new WrongParam(`'${unknown}' is not a parameter of this pipeline`);
  return Object.fromEntries(
    Object.entries(declared).map(([name, { type, default: preset }]) => {
      const raw = Object.hasOwn(given, name) ? given[name]! : preset;
      if (raw === undefined) throw new WrongParam(`parameter '${name}' has no default and no value`);
      const value = paramValues[type].value(raw, folder);
      if (value === invalid || expressionsIn(value).length > 0)
        throw new WrongParam(`parameter '${name}' is ${JSON.stringify(raw)}, expected ${paramValues[type].expects}`);
      return [name, value];
    }),
  );
}
