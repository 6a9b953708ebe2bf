import { mkdir } from 'node:fs/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { scheduledSignal, watchId, watchWorkflow, withinOf, type ScheduleNews, type WatchInput } from '../../pipelines/notify.ts';
import type { Plan } from '../../pipelines/plan.ts';
import type { RunStart } from '../../pipelines/run-start.ts';
import { sharedFolder, type SharedName } from '../../store/shared-folder.ts';
import { rootOf, type RunPlace } from '../find.ts';
import { startSettings } from '../start.ts';

/** A schedule, and what it starts. */
type Scheduled = { name: string; plan: Plan; start: RunStart };

/** In it alerts are recorded that are of a schedule, and of no run of it. */
const ofSchedules: SharedName = 'schedules';

export const watchOf = ({ plan, start }: Scheduled): string =>
  watchId(startSettings(start.store).taskQueue, { ...plan, connections: start.connections });

/**
 * Informs the watch of a schedule's runs that from now on they are expected, or are not. Where they are, and the file says when they are late,
 * a watch is begun: that no run has ever ended is known to nobody else.
 */
export async function informWatch({ client, storeRoot }: RunPlace, scheduled: Scheduled, is: ScheduleNews['is']): Promise<void> {
  const { name, plan, start } = scheduled;
  const id = watchOf(scheduled);
  const news: ScheduleNews = {
    is,
    at: new Date().toISOString(),
    schedule: name,
    run: {
      id: name,
      pipeline: plan.pipeline,
      store: `${start.store.replace(/\/$/, '')}/${ofSchedules}`,
      baseDir: start.baseDir,
      host: start.host,
    },
    notify: plan.notify ?? { on: [], to: [] },
    within: withinOf({ ...plan, connections: start.connections }),
  };
  if (is === 'due' && news.notify.lateMs !== undefined) {
    await mkdir(sharedFolder(rootOf(storeRoot), ofSchedules), { recursive: true });
    await client.workflow.signalWithStart<(input: WatchInput) => Promise<void>, [ScheduleNews]>(watchWorkflow, {
      ...startSettings(start.store),
      workflowId: id,
      args: [{ ends: [], schedule: news }],
      signal: scheduledSignal,
      signalArgs: [news],
      staticSummary: `watch of ${name}`,
    });
    return;
  }
  await client.workflow
    .getHandle(id)
    .signal(scheduledSignal, news)
    .catch((error: unknown) => {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    });
}
