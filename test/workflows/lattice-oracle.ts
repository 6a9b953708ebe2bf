import type { Reaction } from '../../pipelines/error-classes.ts';
import type { Plan, PlanStep } from '../../pipelines/plan.ts';
import type { State } from '../../workflows/interpreter/state.ts';

/** What the file does about an error of the drawn programs. */
function reactionOf({ onError }: PlanStep, type: string): Reaction | undefined {
  if (type === 'Undecided') return undefined;
  const of = type.startsWith('expression-') ? 'BadInput' : type;
  const named = { NetworkError: onError?.transient, BadInput: onError?.input, ServiceFailed: onError?.service }[of];
  return named ?? onError?.else;
}

/** The rules of ARCHITECTURE.md once more, read off the end of a run: what is wrong with how a step ended, or undefined. */
export function wrongEnd(plan: Plan, step: PlanStep, state: State): string | undefined {
  const { status, skipped, startedAt, error } = state.steps[step.id]!;
  const endOf = (id: string): string => state.steps[id]!.status;
  const taken = (need: string): boolean => (step.accepts?.[need] ?? ['done', 'tolerated']).includes(endOf(need) as 'done');
  const reacts = (each: PlanStep): boolean =>
    each.needs.some((need) => each.accepts?.[need]?.includes('failed') || reacts(plan.steps.find(({ id }) => id === need)!));
  if (!['done', 'tolerated', 'skipped', 'failed', 'cancelled'].includes(status)) return `it has not ended: ${status}`;
  const given = state.cancelled || (state.error !== undefined && !reacts(step));
  const { does = 'fail', retry } = (error && reactionOf(step, error.type)) ?? {};
  const tries = state.steps[step.id]!.retries?.begun ?? 0;
  if (status === 'tolerated' && does === 'fail') return 'a failure is tolerated that the file does not tolerate';
  if (status === 'failed' && does === 'tolerate' && (!retry || !given)) return 'a failure is not tolerated that the file tolerates';
  if (error && retry && tries < retry.times && !given) return 'it was not tried again as often as the file says';
  if (status === 'tolerated' && does === 'steps' && !state.steps[step.id]!.reaction) return 'nothing was done about its failure';
  const most = Math.max(0, ...Object.values(step.onError ?? {}).map((each) => each.retry?.times ?? 0));
  if (tries > most) return 'it was tried again more often than the file says';
  if (status === 'tolerated' && state.error?.step === step.id) return 'the run failed by what the file tolerates';
  if (status === 'failed' && !state.error) return 'it failed, and the run did not';
  if ((status === 'failed' || status === 'tolerated') && !error) return 'nobody knows why it failed';
  if (status === 'skipped' && !skipped) return 'nobody knows why it was skipped';
  // A run that was cancelled before its sources were looked at has done nothing that would need it.
  if (step.finally && status === 'cancelled' && state.sources !== undefined) return 'it was given up although it stands under `finally`';
  if (state.cancelled) return undefined;
  const began = startedAt !== undefined;
  if (skipped?.because === 'failure') return state.error && !reacts(step) ? undefined : 'it was skipped for the failure of the run';
  if (skipped?.because === 'needs') return began || taken(skipped.step) ? 'it was skipped for a need that it accepts' : undefined;
  if (!step.needs.every(taken)) return 'it began although a need ended otherwise than it accepts';
  if (skipped?.because === 'when') return step.when === undefined || step.when === true ? 'it has no `when`' : undefined;
  if (step.when === false) return 'its `when` is false';
  if (status === 'cancelled') return state.error && !reacts(step) ? undefined : 'it was given up although it was to end';
  return undefined;
}
