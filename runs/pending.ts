import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { Heartbeat, Progress } from '../pipelines/phases.ts';
import { operations, isOperation } from '../contracts/index.ts';
import type { FailureDetails } from '../errors/failure-details.ts';

type LastFailure = { type: string; message: string } & FailureDetails;

/** An activity that runs or waits for its next attempt. Retries write no history, so only this shows them. */
export type PendingActivity = {
  /** Activity id: `step/phase` or `step/chunk/17`. */
  id: string;
  step: string;
  type: string;
  /** Attempt that runs, or comes next; those that ended to wait, or to look again, are none. */
  attempt: number;
  waiting: boolean;
  worker?: string;
  /** Start of the next attempt, while it waits. */
  nextAt?: string;
  lastFailure?: LastFailure;
  /** Of the last heartbeat: how far the step is, where it says so. */
  progress?: Progress;
};

type Payloads = { payloads?: Payload[] | null } | null | undefined;

const first = (payloads: Payloads): unknown => {
  const payload = payloads?.payloads?.[0];
  if (!payload) return undefined;
  try {
    return defaultPayloadConverter.fromPayload(payload);
  } catch {
    return undefined;
  }
};

const millis = (stamp: { seconds?: unknown; nanos?: number | null } | null | undefined): number | undefined =>
  stamp ? Number(stamp.seconds ?? 0) * 1_000 + Math.floor((stamp.nanos ?? 0) / 1e6) : undefined;

/** PENDING_ACTIVITY_STATE_STARTED of the server's own API. */
const started = 2;

type Raw = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

const failureOf = (failure: Raw['lastFailure']): LastFailure | undefined => {
  if (!failure) return undefined;
  const info = failure.applicationFailureInfo;
  const details = (first(info?.details) ?? {}) as FailureDetails;
  const limit = details.limit ?? (details.operation && isOperation(details.operation) ? operations[details.operation].limit : undefined);
  const heartbeatLost = failure.timeoutFailureInfo ? 'TimeoutFailure' : undefined;
  return { ...details, type: info?.type || heartbeatLost || 'Error', message: failure.message ?? '', ...(limit && { limit }) };
};

/** Pending activities of a description, decoded. */
export const pendingActivities = (description: WorkflowExecutionDescription): PendingActivity[] =>
  (description.raw.pendingActivities ?? []).map((raw) => {
    const lastFailure = failureOf(raw.lastFailure);
    const { waits = 0, progress } = (first(raw.heartbeatDetails) ?? {}) as Partial<Heartbeat>;
    const waiting = Number(raw.state) !== started;
    // The server's own `scheduledTime` of a waiting activity is the time of its next attempt.
    const next = waiting && (raw.attempt ?? 1) > 1 ? millis(raw.nextAttemptScheduleTime ?? raw.scheduledTime) : undefined;
    return {
      id: raw.activityId ?? '',
      step: (raw.activityId ?? '').split('/')[0]!,
      type: raw.activityType?.name ?? '',
      attempt: (raw.attempt ?? 1) - waits,
      waiting,
      ...(raw.lastWorkerIdentity && { worker: raw.lastWorkerIdentity }),
      ...(next !== undefined && { nextAt: new Date(next).toISOString() }),
      ...(lastFailure && { lastFailure }),
      ...(progress && { progress }),
    };
  });
