import { WorkflowFailedError, type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { DamagedFile } from '../errors/classes.ts';
import { goesOnAtServer } from '../pipelines/see-run.ts';
import { query, type RunMemo, type RunView } from '../workflows/messages.ts';
import { endStates, overStates } from './end-states.ts';
import { createRunStore } from '../store/create-run-store.ts';
import { readKeptView, readWholeView } from '../store/kept-view.ts';
import { describeRun, findRun, Forgotten, type RunLocation, type StoredPlace } from './find.ts';
import { lockHolder } from './lock-holder.ts';
import { findRunOrNewest } from './newest.ts';
import { withHeartbeats } from './heartbeats.ts';
import { pendingBegin } from './pending-begin.ts';
import { pendingActivities, type PendingActivity } from './pending.ts';

/** A run at one moment: what its workflow says, and what only the server knows. */
export type RunSnapshot = {
  view: RunView;
  /**
   * Where the view comes from. `server`: no worker answered, the steps are not known; `unreachable`: Temporal did not
   * answer, the view is the last one; `store`: from the run's folder, because Temporal is away or has forgotten the run; where
   * it had not ended by then, the steps are not known.
   */
  source: 'worker' | 'result' | 'server' | 'unreachable' | 'store';
  workflowId: string;
  runId: string;
  store: string;
  startedBy: string;
  connections: { [service: string]: string };
  startedAt: string;
  endedAt?: string;
  historyEvents: number;
  pending: PendingActivity[];
};

const isView = (value: unknown): value is RunView =>
  typeof value === 'object' && value !== null && Array.isArray((value as RunView).steps) && 'state' in value;

/** The view inside a failure: its details carry it; the first one along the causes that does. */
const viewIn = (error: unknown): RunView | undefined => {
  for (let at = error; at instanceof Error; at = at.cause) {
    const found = at instanceof ApplicationFailure || at instanceof CancelledFailure ? at.details?.find(isView) : undefined;
    if (found) return found;
  }
  return undefined;
};

const bare = (memo: Partial<RunMemo>, state: RunView['state'], error?: RunView['error']): RunView => ({
  run: memo.run ?? '',
  pipeline: memo.pipeline ?? '',
  state,
  steps: [],
  ...(error && { error }),
});

const rootCause = (error: Error): Error => (error.cause instanceof Error ? rootCause(error.cause) : error);

/** Asks a worker for the view; undefined where none answers in time. */
const ask = (client: Client, description: WorkflowExecutionDescription, ms: number): Promise<RunView | undefined> => {
  const handle = client.workflow.getHandle(description.workflowId, description.runId);
  return client
    .withDeadline(Date.now() + ms, () => handle.query<RunView>(goesOnAtServer(description) ? query.view : query.closedView))
    .catch(() => undefined);
};

/** Ends that a view says more of than the server. */
const ownEnds: ReadonlySet<RunView['state']> = new Set(['failed', 'refused', 'cancelled']);

const closedView = async (
  client: Client,
  description: WorkflowExecutionDescription,
  memo: Partial<RunMemo>,
  { store }: Pick<RunLocation, 'store'>,
  ms: number,
): Promise<RunView> => {
  const state = endStates[description.status.name] ?? 'failed';
  const handle = client.workflow.getHandle(description.workflowId, description.runId);
  try {
    const result: unknown = await handle.result();
    return isView(result) ? result : bare(memo, state);
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    // A cancelled or terminated workflow has no result: its worker has written how it ended, or replays its history.
    const kept = await readKeptView<RunView>(createRunStore(store));
    const found = viewIn(error) ?? (kept?.runId === description.runId ? kept.view : await ask(client, description, ms));
    // A cancelled run that continued as new ends as failed: the server knows of the cancellation of the execution before.
    if (found) return ownEnds.has(found.state) ? found : { ...found, state };
    const cause = rootCause(error);
    return bare(memo, state, {
      type: (cause instanceof ApplicationFailure && cause.type) || description.status.name,
      message: cause.message,
    });
  }
};

/** Time that a worker has to answer the view query; beyond it the server's own knowledge is shown. */
const answerMs = 2_000;

/** The same of a run that is over: it is replayed from its first event. */
const replayMs = 10_000;

/** The run as it is now. Fails with `DamagedFile` where only its folder knows it, and does not say how it ended. Works without a worker: then open steps are not known, pending activities still are. */
export const readRun = async (
  place: StoredPlace,
  location: RunLocation,
  {
    answerMs: ms,
    ask: asking = true,
  }: {
    /** How long a worker is waited for. @default 2 s, and 10 s for a run that is over */
    answerMs?: number;
    /** Without asking a worker an open run has no steps, and its state is the one that it announced. */
    ask?: boolean;
  } = {},
): Promise<RunSnapshot> => {
  const { client } = place;
  if (!client) return readStoredRun(location);
  const description = await describeRun({ ...place, client }, location).catch((error: unknown) => {
    if (error instanceof Forgotten && location.record) return undefined;
    throw error;
  });
  if (!description) return readStoredRun(location);
  const memo = (description.memo ?? {}) as Partial<RunMemo>;
  const open = goesOnAtServer(description);
  const asked = open && asking ? await ask(client, description, ms ?? answerMs) : undefined;
  const pending = [
    ...(asked && !location.record && !asked.queued ? await pendingBegin(location.store) : []),
    ...pendingActivities(description),
  ];
  const known = withHeartbeats(
    asked ?? (open ? bare(memo, memo.state ?? 'running') : await closedView(client, description, memo, location, ms ?? replayMs)),
    pending,
  );
  const view = open && known.queued ? { ...known, queued: await withHolder(client, description.taskQueue, known.queued) } : known;
  return {
    view,
    source: asked ? 'worker' : open ? 'server' : 'result',
    workflowId: description.workflowId,
    runId: description.runId,
    store: memo.store ?? location.store,
    startedBy: memo.startedBy ?? 'unknown',
    connections: memo.connections ?? {},
    // A run continued as new has a later start of its own; its record keeps the first one.
    startedAt: location.record?.startedAt ?? description.startTime.toISOString(),
    ...(description.closeTime && { endedAt: description.closeTime.toISOString() }),
    historyEvents: description.historyLength,
    pending,
  };
};

/** The run waits, and knows for what; the lock knows for whom. */
const withHolder = async (
  client: Client,
  taskQueue: string,
  queued: NonNullable<RunView['queued']>,
): Promise<NonNullable<RunView['queued']>> => {
  const holder = await lockHolder(client, taskQueue, queued.key);
  return { ...queued, ...(holder && { holder }) };
};

/** What the folder of a run says of it. Fails with `DamagedFile`. */
async function readStoredRun({ run, workflowId, store, record }: RunLocation): Promise<RunSnapshot> {
  const kept = await readWholeView<RunView>(createRunStore(store));
  return {
    view: kept?.view ?? bare({ run, ...record }, 'running'),
    source: 'store',
    workflowId,
    runId: kept?.runId ?? record?.firstRunId ?? '',
    store,
    startedBy: record?.startedBy ?? 'unknown',
    connections: record?.connections ?? {},
    startedAt: record?.startedAt ?? '',
    ...(kept && { endedAt: kept.endedAt }),
    historyEvents: kept?.historyEvents ?? 0,
    pending: [],
  };
}

/** A run that another one is asked about: undefined where only its folder knows it, and does not say how it ended. */
export const lookAtRun = async (
  place: StoredPlace,
  run: string,
  options?: Parameters<typeof readRun>[2],
): Promise<RunSnapshot | undefined> => {
  try {
    // Others are looked at one after the other.
    return await readRun(place, await findRun(place, run), { answerMs, ...options });
  } catch (error) {
    if (error instanceof DamagedFile) return undefined;
    throw error;
  }
};

/** Finds a run by id or prefix, by default the newest, and reads it. */
export const readRunById = async (place: StoredPlace, id?: string): Promise<RunSnapshot> =>
  readRun(place, await findRunOrNewest(place, id));

export const isOver = (view: RunView): boolean => overStates.has(view.state);
