import { actsOf } from '../acts.ts';
import { known } from '../file/embedded-expressions.ts';
import { inside, within, type Plan, type PlannedUndo, type PlanStep } from '../plan.ts';
import { childRunId } from '../run-start.ts';
import { unknownFacts, type Step } from '../step.ts';
import { changes } from './changes.ts';

/** A step that is taken back: by which step, what that does, what of it cannot be taken back in turn, and the steps of it that nobody approved. */
export type UndoneStep = { step: string; by: string; use: string; does: string; acts: string[]; unapproved: string[] };

/** How the steps of a plan are taken back, and what an undo leaves as it is although nobody has said so of it, with the reason. */
export type UndoForecast = Pick<PlannedUndo, 'none' | 'onFailure'> & { steps: UndoneStep[]; stays: { step: string; why: string }[] };

type Steps = Readonly<Record<string, Step>>;

/** What a step does that cannot be taken back, whatever the data are. */
export const irreversible = ({ use, with: input }: PlanStep, steps: Steps): string[] =>
  Object.hasOwn(steps, use) ? actsOf(steps[use]!, input).flatMap(({ perhaps, says }) => (perhaps ? [] : [says])) : [];

/** The steps of an undo, each with what stands in it as one, in the order of the list. */
export const undoneSteps = (all: readonly PlanStep[], steps: Steps): UndoneStep[] =>
  all.flatMap((step) => {
    if (step.undoes === undefined) return [];
    const inner = partsOf(step, all);
    const acting = [step, ...inner].filter((each) => irreversible(each, steps).length > 0);
    const acts = acting.flatMap((each) => irreversible(each, steps));
    const unapproved = acting.flatMap(({ id, approved }) => (approved ? [] : [id]));
    return [{ step: step.undoes, by: step.id, use: step.use, does: doesOf(step, inner, steps), acts, unapproved }];
  });

/** What `plan` says of taking its steps back. */
export const undoForecast = (plan: Plan, { steps: all, none, onFailure }: PlannedUndo, steps: Steps): UndoForecast => ({
  steps: undoneSteps(all, steps),
  none,
  stays: staying(plan, new Set([...none, ...all.flatMap(({ undoes }) => undoes ?? [])]), steps),
  ...(onFailure && { onFailure }),
});

/** Steps that may change something, and of whose undo their file says nothing. */
const staying = (plan: Plan, said: ReadonlySet<string>, steps: Steps): UndoForecast['stays'] =>
  inside(plan, undefined).flatMap((step) =>
    !said.has(step.id) && within(plan, step).some((each) => changes(each, steps)) ? [{ step: step.id, why: whyStays(plan, step) }] : [],
  );

function whyStays(plan: Plan, step: PlanStep): string {
  if (step.finally) return 'what is done finally is not taken back';
  const runs = within(plan, step).filter(({ kind }) => kind === 'pipeline');
  if (runs.length === 0) return 'nothing is said of its undo';
  if (!runs.some(({ version }) => plan.pipelines?.[String(version)]?.plan.undo?.steps.length))
    return 'nothing is said of its undo, neither here nor in the file that it runs';
  return step.kind === 'pipeline'
    ? `its run is taken back by its own id alone: portolan undo ${childRunId('RUN', step.id, 1)}`
    : 'the runs in it are taken back by their own ids alone: portolan runs --children';
}

const partsOf = (step: PlanStep, all: readonly PlanStep[]): PlanStep[] =>
  all.filter((each) => each.in === step.id).flatMap((inner) => [inner, ...partsOf(inner, all)]);

function doesOf({ use, with: input, when, each, kind }: PlanStep, inner: readonly PlanStep[], steps: Steps): string {
  const condition = when === undefined ? '' : ', where its `when` gives true';
  if (each) return `for each ${each.as}: ${inner.map((step) => step.use).join(', ')}${condition}`;
  if (kind === 'pipeline') return `a run of its own${condition}`;
  return `${Object.hasOwn(steps, use) ? steps[use]!.forecast(known(input), unknownFacts).does : 'not known here'}${condition}`;
}
