import { getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import { hasEnd } from '../pipelines/ends.ts';
import type { NamedStart } from '../pipelines/run-start.ts';
import { signal, type ChildReport, type RunView } from './messages.ts';

/**
 * What a run that is a step of another, or takes it back, reports there; nothing of any other run. Where the run above is gone nobody hears it. `continued`:
 * what was reported last is not known.
 */
export function createReports({ id: run, origin }: NamedStart, continued: boolean) {
  const { parent } = workflowInfo();
  const sent = new Set<Promise<unknown>>();
  let last = continued ? '' : keyOf({ state: 'running', asks: [] });
  const report = (said: Omit<ChildReport, 'step' | 'run'>): void => {
    if (!parent || !origin || !('run' in origin || 'undoes' in origin)) return;
    const delivery = getExternalWorkflowHandle(parent.workflowId)
      .signal(signal.report, { step: 'step' in origin ? origin.step : '', run, ...said } satisfies ChildReport)
      .catch(() => undefined)
      .finally(() => sent.delete(delivery));
    sent.add(delivery);
  };
  const delivered = async (): Promise<void> => void (await Promise.all(sent));
  return {
    /** That it waits for a person, is paused, or goes on; what was said last is not said again. */
    say(view: RunView): void {
      const said = standing(view);
      if (hasEnd(said.state) || keyOf(said) === last) return;
      last = keyOf(said);
      report(said);
    },
    delivered,
    /** How it ended, with what it gave. */
    async end(view: RunView): Promise<void> {
      const { outputs, error, steps } = view;
      // One that failed and is tolerated has done something too.
      const begun = steps.filter(({ status, kind }) => status !== 'skipped' && kind !== 'gate');
      const reused = begun.length > 0 && begun.every(({ reusedFrom }) => reusedFrom !== undefined);
      report({ ...standing(view), ...(outputs && { outputs }), ...(error && { error }), ...(reused && { reused }) });
      await delivered();
    },
  };
}

type Standing = Pick<ChildReport, 'state' | 'asks'>;

const keyOf = (said: Standing): string => JSON.stringify([said.state, said.asks]);

/** For the run above it one that was refused has failed: with `Held`, about which its file may say what is done. */
const standing = ({ state, steps }: RunView): Standing => ({
  state: state === 'refused' ? 'failed' : state,
  asks: steps.flatMap(({ id, status, child }) => (status === 'approval' || child?.state === 'approval' ? [id] : [])),
});
