import type { WorkflowHandle } from '@temporalio/client';
import type { RunSnapshot } from './view.ts';

/** An attempt whose worker was gone: nobody could write it down, so it is read in the server's history. */
export type Loss = {
  /** When the next attempt began. */
  at: string;
  step: string;
  /** Activity id: `step/phase` or `step/chunk/17`. */
  activity: string;
};

type HistoryEvent = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];

/** The part of a cluster that histories are read from. */
type Histories = {
  client?: {
    workflow: { getHandle(workflowId: string, runId: string): { fetchHistory(): Promise<{ events?: HistoryEvent[] | null }> } };
  };
};

/** Executions of one chain that are looked through, newest first. */
const mostExecutions = 20;

const millis = (stamp: HistoryEvent['eventTime']): number => Number(stamp?.seconds ?? 0) * 1_000 + Math.floor((stamp?.nanos ?? 0) / 1e6);

/**
 * Attempts of a run that ended with their worker. The server keeps the last failure of each activity only: a lost
 * attempt before a failed one is not seen, and without a server none.
 */
export async function lostAttempts(
  { client }: Histories,
  { workflowId, runId }: Pick<RunSnapshot, 'workflowId' | 'runId'>,
): Promise<Loss[]> {
  const losses: Loss[] = [];
  if (!client) return losses;
  let execution: string | null | undefined = runId;
  for (let looked = 0; execution && looked < mostExecutions; looked++) {
    const { events } = await client.workflow.getHandle(workflowId, execution).fetchHistory();
    losses.push(...lossesIn(events ?? []));
    execution = events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
  }
  return losses.sort((a, b) => a.at.localeCompare(b.at));
}

function lossesIn(events: readonly HistoryEvent[]): Loss[] {
  const ids = new Map<string, string>();
  return events.flatMap((event) => {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) ids.set(String(event.eventId), scheduled.activityId ?? '');
    const started = event.activityTaskStartedEventAttributes;
    if (!started?.lastFailure?.timeoutFailureInfo) return [];
    const activity = ids.get(String(started.scheduledEventId)) ?? '';
    return [{ at: new Date(millis(event.eventTime)).toISOString(), step: activity.split('/')[0]!, activity }];
  });
}

/** Moments of loss: what died together is one. */
export const momentsOf = (losses: readonly Loss[], step?: string): number[] => {
  const moments: number[] = [];
  for (const at of losses
    .filter((loss) => step === undefined || loss.step === step)
    .map((loss) => Date.parse(loss.at))
    .toSorted((a, b) => a - b))
    if (moments.length === 0 || at - moments.at(-1)! > 1_000) moments.push(at);
  return moments;
};
