import { workflowInfo } from '@temporalio/workflow';
import { withinOf, type Occasion, type Within } from '../pipelines/notify.ts';
import type { Plan, RunRef } from '../pipelines/plan.ts';
import { beginAlert } from './begin-alert.ts';
import type { RunView } from './messages.ts';
import { reportEnd } from './report-end.ts';

/**
 * Begins the alerts of a run: a workflow for each occasion, which outlives the run and whose failure is not the run's. `noticed`:
 * ids of occasions that were begun before the run continued as new.
 */
export function createAlerts(
  { notify, undoes, environment }: Pick<Plan, 'notify' | 'undoes' | 'environment'>,
  run: RunRef,
  { noticed, connections }: Pick<Within, 'connections'> & { noticed: readonly string[] },
) {
  const ids = new Set(noticed);
  const within = withinOf({ environment, connections });
  const starting = new Set<Promise<unknown>>();
  return {
    noticed: (): { noticed?: string[] } => (ids.size === 0 ? {} : { noticed: [...ids] }),
    look(view: RunView): void {
      if (!notify) return;
      for (const what of occasionsOf(view)) {
        if (!notify.on.includes(what.on)) continue;
        const { workflowId: id, runId } = workflowInfo();
        const occasion = { ...what, at: new Date().toISOString(), workflow: { id, runId } };
        if (ids.has(occasion.id)) continue;
        ids.add(occasion.id);
        const start = beginAlert({ run, occasion, to: notify.to }).finally(() => starting.delete(start));
        starting.add(start);
      }
    },
    /** Resolves when the server knows of all of them. */
    begun: async (): Promise<void> => void (await Promise.all(starting)),
    /**
     * Reports the end of the run to the watch of such runs, which knows the run before and when it is late. One that takes another run
     * back does not count as a run of the pipeline.
     */
    async ended({ state }: RunView): Promise<void> {
      const { workflowId: id, runId } = workflowInfo();
      if (notify && !undoes && (state === 'done' || state === 'failed'))
        await reportEnd({ run, state, notify, at: new Date().toISOString(), workflow: { id, runId }, within });
    },
  };
}

type What = Pick<Occasion, 'id' | 'step' | 'error' | 'gate' | 'undoes'> & { on: 'failed' | 'approval' };

/** What people are to know of a run as it is. */
function occasionsOf({ run, state, steps, error, undoes }: RunView): What[] {
  const gates = steps
    .filter(({ status }) => status === 'approval')
    .map(({ id, asks }): What => {
      const { who, approves = [], expiresAt } = asks ?? {};
      const gate = { approves, ...(who === undefined ? {} : { who }), ...(expiresAt === undefined ? {} : { expiresAt }) };
      return { id: `${run}/approval/${id}`, on: 'approval', step: id, gate };
    });
  if (state !== 'failed' || !error) return gates;
  const { step, type, message, details } = error;
  return [
    ...gates,
    {
      id: `${run}/failed`,
      on: 'failed',
      ...(step === undefined ? {} : { step }),
      error: { type, message, ...(details ? { details } : {}) },
      ...(undoes === undefined ? {} : { undoes }),
    },
  ];
}
