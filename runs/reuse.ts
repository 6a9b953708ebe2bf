import { isOutdated } from '../pipelines/budgets/outdated.ts';
import { evaluateTree, type Scope } from '../pipelines/expressions/evaluate.ts';
import { stepsIn } from '../pipelines/expressions/references.ts';
import { isKept } from '../pipelines/kept.ts';
import { canonical } from '../text/canonical-json.ts';
import { goneFile } from '../store/gone-file.ts';
import { inputHash } from '../pipelines/input-hash.ts';
import { holds, inside, within, type Plan, type PlanStep, type Reuse, type SourceFingerprint } from '../pipelines/plan.ts';
import { isFields, type Json } from '../text/json.ts';
import type { RunView, StepView } from '../workflows/messages.ts';
import { printName } from '../pipelines/source-name.ts';
import type { RunTime } from '../pipelines/window.ts';

/**
 * What happens to a step in a run that continues another: `unless` is a source that this host cannot read. One that is skipped again is
 * reused in that what follows it can be.
 */
export type ReuseVerdict = { step: string; reused: boolean; why: string; unless?: string[] };

export type ReuseFacts = {
  plan: Plan;
  /** Id that the new run will have, and when it is due, where that is said. */
  run: string;
  time?: RunTime;
  /** The run that is continued, and its plan. */
  old: { view: RunView; plan: Plan };
  /** Results of its steps that stand in the run store, by step; still references where this host cannot read them. */
  values: { readonly [step: string]: Json };
  /** This step and all that follow it run anew. */
  from?: string;
  /** Fingerprints of the sources that this host can read. */
  fingerprints: { readonly [source: string]: Pick<SourceFingerprint, 'sha256'> };
  /** Steps one of whose fields names a source that is known only when it runs. */
  late: ReadonlySet<string>;
  /** Steps of the old run that a worker did with other code than its plan names. */
  otherCode: ReadonlySet<string>;
  /** Steps of it that were taken back, by the run that did so. */
  undone: ReadonlyMap<string, string>;
  /** Loops over rows to which an earlier run came: whether it has kept what became of the rows. */
  rows: ReadonlyMap<string, 'kept' | 'gone'>;
};

/** For every step of the new plan, in order: is the old result taken over, and why (not). The workflow has the last word. */
export function planReuse(facts: ReuseFacts): { verdicts: ReuseVerdict[]; reuse: Reuse } {
  const reuse: Reuse = {};
  const verdicts: ReuseVerdict[] = [];
  for (const step of inside(facts.plan, undefined)) {
    const done = facts.old.view.steps.find(({ id }) => id === step.id);
    const against = obstacle(step, done, facts, verdicts);
    if (against !== undefined || !done) {
      verdicts.push({ step: step.id, reused: false, why: `${against ?? 'new in the file'}${rowsWords(step.id, facts)}` });
      continue;
    }
    const behind = before(step, facts.plan).flatMap((id) => verdicts.find((verdict) => verdict.step === id)?.unless ?? []);
    const unread = [...new Set([...behind, ...sourcesOf(step, facts.plan).filter((source) => !facts.fingerprints[source])])];
    const isSkipped = done.status === 'skipped';
    const why = isSkipped ? 'skipped again' : 'reused';
    verdicts.push({ step: step.id, reused: true, why, ...(unread.length > 0 ? { unless: unread } : {}) });
    reuse[step.id] = isSkipped
      ? 'skipped'
      : { hash: done.inputHash!, output: done.output ?? null, run: done.reusedFrom ?? facts.old.view.run };
  }
  return { verdicts, reuse };
}

/** Of a loop over rows that runs anew: what becomes of the rows that were done. Those of a loop that has ended are kept where a repeat would be a second effect. */
function rowsWords(id: string, { rows, undone }: ReuseFacts): string {
  const known = rows.get(id);
  if (known === undefined || undone.has(id)) return '';
  return known === 'kept'
    ? '; rows that are done are taken over, where they and their steps are what they were'
    : '; every row again, also those that are done: its steps may be repeated';
}

/** Sources of a step, and of those inside of it. */
const sourcesOf = (step: PlanStep, plan: Plan): string[] => {
  const ids = new Set(within(plan, step).map(({ id }) => id));
  return plan.sources.flatMap((source) => (ids.has(source.step) ? [printName(source)] : []));
};

/** Where a rerun begins without --from, by how the step ended. */
const failed: Readonly<Record<string, string>> = { failed: 'it failed', tolerated: 'it failed, which was tolerated' };

/** Why a step runs anew; undefined where nothing speaks for it. */
function obstacle(step: PlanStep, done: StepView | undefined, facts: ReuseFacts, verdicts: readonly ReuseVerdict[]): string | undefined {
  const { plan, old, values, from, late, otherCode, undone } = facts;
  if (holds(plan, step, 'gate')) return 'an approval belongs to its run';
  if (undone.has(step.id)) return `undone by ${undone.get(step.id)}`;
  if (step.kind === 'loop' && holds(plan, step, 'pipeline')) return 'the runs in it take over what they have completed';
  if (step.id === from) return failed[done?.status ?? ''] ?? 'named by --from';
  const anew = before(step, plan).find((id) => !verdicts.find((verdict) => verdict.step === id)!.reused);
  if (anew !== undefined) return `follows ${anew}`;
  if (!done) return 'new in the file';
  const former = old.plan.steps.find(({ id }) => id === step.id);
  if (done.skipped?.because === 'failure') return 'the run failed before it';
  if (done.status === 'skipped') return mayRun(step, done, former, facts) ? 'it may not be skipped now' : undefined;
  if (done.status !== 'done') return `not completed (${done.status})`;
  if (whenNow(step, facts) === false) return 'its when gives false now';
  if (isOutdated(step.use, old.view.steps)) return 'what it compared was changed since';
  if (done.use !== step.use) return `another step: ${done.use} before, ${step.use} now`;
  if (within(plan, step).some(({ id }) => otherCode.has(id))) return 'its worker ran other code than the plan named';
  if (former && (former.version ?? 1) !== (step.version ?? 1)) return 'its code changed';
  if (within(plan, step).some(({ id }) => late.has(id))) return 'its source is known only when it runs';
  if (former && canonical(former.connections) !== canonical(step.connections)) return 'another connection';
  const output = done.output ?? null;
  const gone = goneFile(output) ?? goneFile(values[step.id] ?? null);
  if (gone !== undefined) return `its result is gone: ${gone}`;
  return changed(step, done, former, facts);
}

/** True where a step that was skipped may run now, though all that it stands on is as it was. */
function mayRun(step: PlanStep, done: StepView, former: PlanStep | undefined, facts: ReuseFacts): boolean {
  if (canonical(step.accepts ?? {}) !== canonical(former?.accepts ?? {})) return true;
  if (done.skipped?.because !== 'when') return false;
  const { when = true } = step;
  if (readsKept(when, facts)) return canonical(when) !== canonical(former?.when ?? true);
  return whenNow(step, facts) !== false;
}

const readsKept = (when: Json, { values }: ReuseFacts): boolean => stepsIn(when).some((id) => isKept(values[id]));

/** What the `when` of a step gives, where all that it reads is as it was; undefined where only a worker or the run can know it. */
function whenNow({ when = true }: PlanStep, facts: ReuseFacts): Json | undefined {
  if (readsKept(when, facts)) return undefined;
  try {
    return evaluateTree(when, scopeOf(facts));
  } catch {
    return undefined;
  }
}

/** The steps that one stands on: behind a gate, those that the gate stands on. */
const before = (step: PlanStep, plan: Plan): string[] =>
  step.needs.flatMap((id) => {
    const need = plan.steps.find((each) => each.id === id)!;
    return need.kind === 'gate' ? before(need, plan) : [id];
  });

/** How the input differs; undefined where it is equal, or where this host cannot know. */
function changed(step: PlanStep, done: StepView, former: PlanStep | undefined, facts: ReuseFacts): string | undefined {
  const { plan, values, fingerprints } = facts;
  const sources = sourcesOf(step, plan);
  if (sources.some((source) => !fingerprints[source])) return undefined;
  if (stepsIn(step.with).some((id) => isKept(values[id]))) return undefined;
  let input: Json;
  try {
    input = evaluateTree(step.with, scopeOf(facts));
  } catch {
    return 'its input names an approval';
  }
  if (inputHash(step, input, plan, fingerprints, facts.run) === done.inputHash) return undefined;
  const fields = changedFields(former?.with, step.with);
  if (fields.length > 0) return `its input changed: ${fields.join(', ')}`;
  if (former && canonical(former.tolerate ?? {}) !== canonical(step.tolerate ?? {})) return 'tolerate changed';
  if (step.each) return 'what it goes over, or what is done for each item, changed';
  return sources.length > 0 ? `${sources.join(', ')} changed` : 'its input changed';
}

/** What expressions of the new run could read, were every result as it was. */
function scopeOf({ plan, old, run, time, values }: ReuseFacts): Scope {
  const outputs = old.view.steps.flatMap(({ id, kind, output }) =>
    output === undefined || kind === 'gate' ? [] : [[id, values[id] ?? output] as const],
  );
  return { params: plan.params, steps: Object.fromEntries(outputs), run: { id: run, pipeline: plan.pipeline, ...time } };
}

const changedFields = (former: Json | undefined, now: Json): string[] => {
  if (!isFields(former) || !isFields(now)) return [];
  return [...new Set([...Object.keys(former), ...Object.keys(now)])].filter(
    (name) => canonical(former[name] ?? null) !== canonical(now[name] ?? null),
  );
};
