import {
  CancellationScope,
  condition,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  makeContinueAsNewFunc,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import {
  answerSignal,
  askSignal,
  lookActivity,
  releaseSignal,
  watchActivity,
  type Asker,
  type Holder,
  type LockAnswer,
  type LockInput,
  type LockRun,
} from '../pipelines/lock.ts';
import { isDue, isIdle, reduceLock, type LockCommand, type LockEvent, type LockState } from './lock/reduce.ts';

/** Events after which a lock continues as a new one. */
const mostEvents = 2_000;

/**
 * The lock of one key: knows the run that holds it and those that wait, in the order of asking, and ends when there are none. Runs that
 * end release it; while somebody waits it also looks itself whether its holder has ended, because one that was terminated says nothing.
 */
export async function lockV1({ key, holder: first, waiting = [] }: LockInput): Promise<void> {
  const state: LockState = { ...(first ? { holder: first } : {}), waiting };
  const events: LockEvent[] = [];
  const underWay = new Set<Promise<void>>();
  let watched: { of: string; scope: CancellationScope } | undefined;
  let looks = false;
  let said = first?.firstRunId;
  // What an execution before this one knew, nobody says again: its holder is looked after from the beginning.
  let fresh = true;
  setHandler(defineSignal<[Asker]>(askSignal), (asker) => void events.push({ is: 'ask', asker }), { description: 'Ask for the key' });
  setHandler(defineSignal<[string]>(releaseSignal), (firstRunId) => void events.push({ is: 'release', firstRunId }), {
    description: 'A run is over',
  });
  const track = (work: Promise<void>): void => {
    const done = work.finally(() => underWay.delete(done));
    underWay.add(done);
  };
  /** Once, for those who take no wait. */
  const look = async (holder: Holder): Promise<void> => {
    looks = true;
    const open = await isOpen(holder).catch(() => true);
    looks = false;
    events.push({ is: open ? 'open' : 'release', firstRunId: holder.firstRunId });
  };
  const watch = (holder: Holder | undefined): void => {
    if (watched?.of === holder?.firstRunId) return;
    watched?.scope.cancel();
    watched = undefined;
    if (!holder) return;
    const scope = new CancellationScope({ cancellable: true });
    watched = { of: holder.firstRunId, scope };
    scope
      .run(() => hasEnded(holder))
      .then(
        () => void events.push({ is: 'release', firstRunId: holder.firstRunId }),
        (error: unknown) => {
          if (!isCancellation(error)) throw error;
        },
      );
  };

  await CancellationScope.nonCancellable(async () => {
    for (;;) {
      await condition(() => fresh || events.length > 0 || (isIdle(state) && underWay.size === 0) || isTooLong(underWay));
      fresh = false;
      for (const event of events.splice(0))
        for (const command of reduceLock(state, event, new Date().toISOString()))
          track(carryOut(key, command, (gone) => void events.push({ is: 'release', firstRunId: gone.firstRunId })));
      if (events.length > 0) continue;
      if (said !== state.holder?.firstRunId && !isIdle(state)) {
        said = state.holder?.firstRunId;
        upsertMemo({ holder: state.holder ?? null });
      }
      setCurrentDetails(detailsOf(key, state));
      if (isDue(state) && !looks) track(look(state.holder!));
      watch(state.waiting.length > 0 ? state.holder : undefined);
      if ((isIdle(state) && underWay.size === 0) || isTooLong(underWay)) return;
    }
  });
  if (!isIdle(state))
    await makeContinueAsNewFunc<typeof lockV1>({ memo: { key, holder: state.holder ?? null } })({
      key,
      ...(state.holder ? { holder: state.holder } : {}),
      waiting: state.waiting,
    });
}

const isTooLong = (underWay: Set<unknown>): boolean => workflowInfo().historyLength > mostEvents && underWay.size === 0;

/** Does what the reducer has decided. A run that cannot be reached any more has ended. */
async function carryOut(key: string, command: LockCommand, gone: (run: LockRun) => void): Promise<void> {
  if (command.do === 'cancel') {
    const older = getExternalWorkflowHandle(command.run.workflowId);
    const displaced: LockAnswer = { is: 'displaced', by: { key, run: command.for.run, who: command.for.who } };
    await older.signal(answerSignal, displaced).catch(() => undefined);
    await older.cancel().catch(() => undefined);
    return;
  }
  const answer: LockAnswer = command.do === 'grant' ? { is: 'granted' } : { is: 'refused', holder: command.holder };
  await getExternalWorkflowHandle(command.to.workflowId)
    .signal(answerSignal, answer)
    .catch(() => gone(command.to));
}

/** Asked of the server on this worker, at once. Fails where none could be asked within seconds. */
function isOpen(holder: Holder): Promise<boolean> {
  const proxy = proxyLocalActivities<Record<string, (run: LockRun) => Promise<boolean>>>({
    startToCloseTimeout: '3 seconds',
    scheduleToCloseTimeout: '10 seconds',
    retry: { initialInterval: 250, backoffCoefficient: 1 },
  });
  return proxy[lookActivity]!(holder);
}

/** Ends when the run has ended. Its looks are attempts of one activity, which write no events; they come before other work. */
function hasEnded(holder: Holder): Promise<void> {
  const proxy = proxyActivities<Record<string, (run: LockRun) => Promise<void>>>({
    startToCloseTimeout: '2 seconds',
    retry: { initialInterval: 1_000, backoffCoefficient: 1, maximumInterval: 1_000 },
    cancellationType: 'TRY_CANCEL',
    priority: { priorityKey: 1 },
    activityId: `watch/${holder.firstRunId}`,
    summary: `until run ${holder.run} has ended`,
  });
  return proxy[watchActivity]!(holder);
}

/** Markdown for the Temporal Web UI. */
function detailsOf(key: string, { holder, waiting }: LockState): string {
  const held = holder ? `held by **${holder.run}** (${holder.who}) since ${holder.since}` : 'held by nobody';
  return `${key}: ${held}\n\n${waiting.map(({ run, who, when }) => `- ${run} (${who}): ${when}`).join('\n')}`;
}
