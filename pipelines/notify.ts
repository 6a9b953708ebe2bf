import type { FailureDetails } from '../errors/failure-details.ts';
import type { Approved, RunRef } from './plan.ts';
import type { Happening, Notify } from './notify-rule.ts';

/** Something that people are alerted to, once. */
export type Occasion = {
  /** The same however often it is sent: the run, and what happened. */
  id: string;
  on: Happening | 'late';
  at: string;
  /** The run's workflow, as the Web UI names it. */
  workflow: { id: string; runId: string };
  /** The step that failed, or the gate that waits. */
  step?: string;
  error?: { type: string; message: string; details?: FailureDetails };
  gate?: { who?: string; approves: Approved[]; expiresAt?: string };
  /** The run that this one takes back. */
  undoes?: string;
};

/** What the workflow `notifyV1` is started with. */
export type NotifyInput = { run: RunRef; occasion: Occasion; to: string[] };

/** One occasion for one channel. `givenUp`: why it is sent no more, which is only to be recorded. */
export type DeliverInput = Omit<NotifyInput, 'to'> & { channel: string; givenUp?: string };

/** The activity that sends an alert. */
export const notifyActivity = 'portolan:notify';

export const notifyWorkflow = 'notifyV1';

/** How a run ended, for the watch of its pipeline. */
export type RunEnd = Pick<Occasion, 'at' | 'workflow'> & { run: RunRef; state: 'done' | 'failed'; notify: Notify };

/** What the workflow `watchV1` is started with: ends that it is to take, and what it knew when it continued as new. */
export type WatchInput = { ends: RunEnd[]; knows?: Watched };

/** What the watch of a pipeline knows. */
export type Watched = {
  /** Of the last run that ended. */
  notify: Notify;
  failed: boolean;
  /** The last run that was done; until there is one, the first that ended. */
  since: RunEnd;
  /** It was alerted that none has been done since. */
  late: boolean;
};

export const watchWorkflow = 'watchV1';
export const endedSignal = 'ended';
