import type { FailureDetails } from '../errors/failure-details.ts';
import type { Approved, RunRef } from './plan.ts';
import type { Happening, Notify } from './notify-rule.ts';
import type { RunFacts } from './run-start.ts';
import { pairs } from '../text/pairs.ts';
import { scheduleName } from './schedule-name.ts';

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
  /** Of `late`, the schedule of which no run has been done since then, and no run names the alert. */
  schedule?: { name: string; since: string };
  /** Of `recovered` and `late`, which runs of the pipeline are meant: those in other environments, and by other connections, count apart. */
  within?: Within;
};

export type Within = Pick<Watchable, 'environment' | 'connections'>;

export const withinOf = ({ environment, connections }: Pick<Within, 'connections'> & { environment?: string | undefined }): Within => ({
  connections,
  ...(environment === undefined ? {} : { environment }),
});

/** What the workflow `notifyV1` is started with. */
export type NotifyInput = { run: RunRef; occasion: Occasion; to: string[] };

/** One occasion for one channel. `givenUp`: why it is sent no more, which is only to be recorded. */
export type DeliverInput = Omit<NotifyInput, 'to'> & { channel: string; givenUp?: string };

/** The activity that sends an alert. */
export const notifyActivity = 'portolan:notify';

export const notifyWorkflow = 'notifyV1';

/** How a run ended, for the watch over the runs of its pipeline. */
export type RunEnd = Pick<Occasion, 'at' | 'workflow' | 'within'> & { run: RunRef; state: 'done' | 'failed'; notify: Notify };

/**
 * What became of a schedule, for the same watch: runs are expected from `at` on, or none are (any more). `run`: stands for a run where
 * there is none, as what an alert is recorded by.
 */
export type ScheduleNews = { is: 'due' | 'paused' | 'gone'; at: string; schedule: string; run: RunRef; notify: Notify; within?: Within };

/**
 * What the workflow `watchV1` is started with: ends that it is to take, the schedule by which it is begun (beside the same as a signal, for
 * one that is there: told twice it is one), and what it knew when it continued as new.
 */
export type WatchInput = { ends: RunEnd[]; schedule?: ScheduleNews; knows?: Watched };

/** What a watch knows. */
export type Watched = {
  /** Of the last run that ended, or of the schedule, whichever came last. */
  notify: Notify;
  failed: boolean;
  /** The last run that was done; until there is one, the first that ended. Absent before any has. */
  since?: RunEnd;
  /** It was alerted that none has been done since. */
  late: boolean;
  /** The schedule that starts them, where one does: it has been as it is since `at`. */
  schedule?: ScheduleNews;
};

export const watchWorkflow = 'watchV1';
export const endedSignal = 'ended';
export const scheduledSignal = 'scheduled';

/**
 * The workflow that watches the runs of a pipeline in one environment by the same connections, whoever starts them: that one is done in
 * `test` says nothing of `prod`.
 */
export function watchId(taskQueue: string, { pipeline, environment, connections }: Watchable): string {
  return ['portolan/watch', taskQueue, scheduleName(pipeline, environment), ...pairs(connections)].join('/');
}

/** What tells runs apart that are watched apart. */
export type Watchable = Pick<RunFacts, 'pipeline' | 'environment' | 'connections'>;
