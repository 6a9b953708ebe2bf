import type { temporal } from '@temporalio/proto';
import type { Stack } from '../support/stack.ts';
import type { StartedRun } from './support-run.ts';

type Event = temporal.api.history.v1.IHistoryEvent;

/** What a run left at the Temporal server, all executions of its chain together. */
export type Histories = {
  executions: number;
  events: number;
  /** Sum of `historySizeBytes`, as the server counts each execution. */
  bytes: number;
  /** Events between the first scheduling of a step's chunk and the last end of one, and how many chunks were scheduled. */
  sweeps: { [step: string]: { events: number; chunks: number } };
  /** Largest payload but the plan (the inputs of the executions), in bytes, and where it stands. */
  largest: { bytes: number; where: string };
  /** Largest input of an execution: the plan, and what a continued run carries on. */
  plan: number;
};

/** Reads every event of every execution of a run. Payloads are measured as they are stored. */
export async function historiesOf(stack: Pick<Stack, 'client'>, run: Pick<StartedRun, 'handle' | 'runId'>): Promise<Histories> {
  const found: Histories = { executions: 0, events: 0, bytes: 0, sweeps: {}, largest: { bytes: 0, where: 'none' }, plan: 0 };
  for (let runId: string | undefined = run.runId; runId;) {
    const handle = stack.client.workflow.getHandle(run.handle.workflowId, runId);
    const { events = [] } = (await handle.fetchHistory()) as { events?: Event[] };
    const description = await handle.describe();
    found.executions += 1;
    found.events += events.length;
    found.bytes += Number(description.raw.workflowExecutionInfo?.historySizeBytes ?? Number.NaN);
    for (const [step, counted] of Object.entries(sweepsOf(events))) {
      const sum = (found.sweeps[step] ??= { events: 0, chunks: 0 });
      sum.events += counted.events;
      sum.chunks += counted.chunks;
    }
    for (const event of events) {
      const isPlan = Boolean(
        event.workflowExecutionStartedEventAttributes?.input || event.workflowExecutionContinuedAsNewEventAttributes?.input,
      );
      for (const bytes of payloadsOf(event)) {
        if (isPlan) found.plan = Math.max(found.plan, bytes);
        else if (bytes > found.largest.bytes)
          found.largest = { bytes, where: `event ${String(event.eventId)} of execution ${found.executions}` };
      }
    }
    runId = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return found;
}

function sweepsOf(events: readonly Event[]): Histories['sweeps'] {
  const spans = new Map<string, { from: number; to: number; chunks: number }>();
  const stepOf = new Map<string, string>();
  events.forEach((event, at) => {
    const id = event.activityTaskScheduledEventAttributes?.activityId ?? '';
    const ended = event.activityTaskCompletedEventAttributes ?? event.activityTaskFailedEventAttributes;
    const step = /^(\w+)\/chunk\/\d+$/.exec(id)?.[1];
    if (step !== undefined) {
      stepOf.set(String(event.eventId), step);
      const span = spans.get(step) ?? { from: at, to: at, chunks: 0 };
      spans.set(step, { ...span, to: at, chunks: span.chunks + 1 });
    }
    const of = stepOf.get(String(ended?.scheduledEventId));
    if (of !== undefined) spans.get(of)!.to = at;
  });
  return Object.fromEntries([...spans].map(([step, { from, to, chunks }]) => [step, { events: to - from + 1, chunks }]));
}

/** Bytes of every payload in a part of an event, wherever it stands: data and metadata. */
function* payloadsOf(part: unknown): Generator<number> {
  if (typeof part !== 'object' || part === null || part instanceof Uint8Array) return;
  const { data, metadata } = part as { data?: unknown; metadata?: Record<string, Uint8Array> };
  if (data instanceof Uint8Array) {
    yield data.byteLength + Object.values(metadata ?? {}).reduce((sum, value) => sum + (value?.byteLength ?? 0), 0);
    return;
  }
  for (const value of Object.values(part)) yield* payloadsOf(value);
}
