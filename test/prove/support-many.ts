import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenProject } from '../../cli/start/open-project.ts';
import { cancelRun, pauseRun, resumeRun } from '../../runs/control.ts';
import { RunProblem } from '../../runs/errors.ts';
import { findRun, type RunPlace } from '../../runs/find.ts';
import type { RunView } from '../../workflows/messages.ts';
import type { Stack } from '../support/stack.ts';

/** A creation, a chain of reads with a change between them, and two reads beside the chain. */
export const text = `
name: one-of-many
params: { dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
${[1, 2, 3]
  .map(
    (at) =>
      `  read${at}: { use: api.call, needs: [${at === 1 ? 'dataset' : `read${at - 1}`}], with: { operation: maps.projects.get, input: { project_id: "\${{ steps.dataset.id }}" } } }`,
  )
  .join('\n')}
  note: { use: api.call, needs: [read2], with: { operation: maps.projects.update, input: { project_id: "\${{ steps.dataset.id }}", id: "\${{ steps.dataset.id }}", description: noted } } }
  list: { use: api.call, with: { operation: maps.user.get, input: {} } }
outputs: { slug: "\${{ steps.read3.result.slug }}" }
`;

export const acts = ['pause', 'resume', 'cancel'] as const;
export type Act = (typeof acts)[number];

export type Steered = { run: string; view: RunView | undefined; cancelled: boolean; left: string[] };

const place = (stack: Stack): RunPlace => ({ client: stack.client, storeRoot: `${stack.state}/runs` });

/** One act; that the run is over by then is no failure, and then it was not done. */
async function act(stack: Stack, run: string, what: Act): Promise<boolean> {
  try {
    const location = await findRun(place(stack), run);
    if (what === 'pause') await pauseRun(place(stack), location, { who: 'prove' });
    if (what === 'resume') await resumeRun(place(stack), location, { who: 'prove' });
    if (what === 'cancel') await cancelRun(place(stack), location);
    return true;
  } catch (error) {
    if (error instanceof RunProblem) return false;
    throw error;
  }
}

/** A run that is paused, resumed and cancelled at drawn moments, resumed at the end, and what it is then. */
export async function steer(stack: Stack, project: OpenProject, run: string, stuck: AbortSignal): Promise<Steered> {
  let cancelled = false;
  for (let count = randomInt(2, 7); count > 0; count--) {
    await sleep(randomInt(600));
    // A cancellation ends most runs: a third of them meet one.
    const what = randomInt(9) === 0 ? 'cancel' : acts[randomInt(2)]!;
    const done = await act(stack, run, what);
    cancelled ||= done && what === 'cancel';
  }
  await act(stack, run, 'resume');
  const view = await project.ended(run, { signal: stuck }).catch(() => undefined);
  return { run, view, cancelled, left: view ? await leftOpen(stack, run) : [] };
}

/** Activities of a run that its history has begun and not ended; of a cancelled run those that were being cancelled are over with it. */
async function leftOpen(stack: Stack, run: string): Promise<string[]> {
  const { workflowId, firstRunId } = await findRun(place(stack), run);
  const { events } = await stack.client.workflow.getHandle(workflowId, firstRunId).fetchHistory();
  const open = new Map<string, string>();
  for (const event of events ?? []) {
    const { activityTaskScheduledEventAttributes: scheduled } = event;
    if (scheduled) open.set(String(event.eventId), scheduled.activityId ?? '');
    const over =
      event.activityTaskCompletedEventAttributes ??
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes ??
      event.activityTaskCanceledEventAttributes ??
      event.activityTaskCancelRequestedEventAttributes;
    if (over) open.delete(String(over.scheduledEventId));
  }
  return [...open.values()];
}
