import {
  CancellationScope,
  condition,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  makeContinueAsNewFunc,
  setCurrentDetails,
  setHandler,
  upsertMemo,
} from '@temporalio/workflow';
import {
  answerSignal,
  askSignal,
  releaseSignal,
  type Asker,
  type Holder,
  type LockAnswer,
  type LockInput,
  type LockRun,
} from '../pipelines/lock.ts';
import { isDue, isIdle, reduceLock, type LockCommand, type LockEvent, type LockState } from './lock/reduce.ts';
import { look, untilEnded, untilSilent } from './lock/see-holder.ts';

/**
 * Signals, answers and looks after which a lock continues as a new one, each of five to ten events. It counts them itself: in a replay a task that only
 * waited for a look is one with the next, and the history then seems longer than it did.
 */
const mostWork = 300;

/**
 * The lock of one key: knows the run that holds it and those that wait, in the order of asking, and ends when there are none. Runs that
 * end release it; while somebody waits it also looks itself whether its holder has ended, because one that was terminated says nothing.
 * What that had begun may go on for a moment, so that the next run gets the key when nothing of it can be sent any more.
 */
export async function lockV1({ key, holder: first, waiting = [] }: LockInput): Promise<void> {
  const state: LockState = { ...(first ? { holder: first } : {}), waiting };
  const events: LockEvent[] = [];
  const underWay = new Set<Promise<unknown>>();
  let watched: { of: string; scope: CancellationScope } | undefined;
  let lookedAt: string | undefined;
  let said = first?.firstRunId;
  // What an execution before this one knew, nobody says again: its holder is looked after from the beginning.
  let fresh = true;
  setHandler(defineSignal<[Asker]>(askSignal), (asker) => void events.push({ is: 'ask', asker }), { description: 'Ask for the key' });
  setHandler(defineSignal<[string]>(releaseSignal), (firstRunId) => void events.push({ is: 'release', firstRunId }), {
    description: 'A run is over',
  });
  let work = 0;
  const track = <T>(one: Promise<T>): Promise<T> => {
    work++;
    const done = one.finally(() => underWay.delete(done));
    underWay.add(done);
    return done;
  };
  const release = ({ firstRunId }: LockRun): void => void events.push({ is: 'release', firstRunId });
  /** Once, for those who take no wait. */
  const lookOnce = async (holder: Holder): Promise<void> => {
    lookedAt = holder.firstRunId;
    const seen = await look(holder);
    if (!seen.open) await untilSilent(seen);
    if (lookedAt === holder.firstRunId) lookedAt = undefined;
    if (seen.open) events.push({ is: 'open', firstRunId: holder.firstRunId });
    else release(holder);
  };
  const watch = (holder: Holder | undefined): void => {
    if (watched?.of === holder?.firstRunId) return;
    watched?.scope.cancel();
    watched = undefined;
    if (!holder) return;
    const scope = new CancellationScope({ cancellable: true });
    watched = { of: holder.firstRunId, scope };
    scope
      .run(async () => untilSilent(await untilEnded(holder, (one) => track(look(one)))))
      .then(
        () => release(holder),
        (error: unknown) => {
          if (!isCancellation(error)) throw error;
        },
      );
  };

  const isOver = (): boolean => underWay.size === 0 && (isIdle(state) || work >= mostWork);

  await CancellationScope.nonCancellable(async () => {
    for (;;) {
      await condition(() => fresh || events.length > 0 || isOver());
      fresh = false;
      for (const event of events.splice(0)) {
        work++;
        for (const command of reduceLock(state, event, new Date().toISOString())) void track(carryOut(key, command, release));
      }
      if (events.length > 0) continue;
      if (said !== state.holder?.firstRunId && !isIdle(state)) {
        said = state.holder?.firstRunId;
        upsertMemo({ holder: state.holder ?? null });
      }
      setCurrentDetails(detailsOf(key, state));
      if (isDue(state) && lookedAt !== state.holder!.firstRunId) void track(lookOnce(state.holder!));
      watch(state.waiting.length > 0 ? state.holder : undefined);
      if (isOver()) return;
    }
  });
  if (!isIdle(state))
    await makeContinueAsNewFunc<typeof lockV1>({ memo: { key, holder: state.holder ?? null } })({
      key,
      ...(state.holder ? { holder: state.holder } : {}),
      waiting: state.waiting,
    });
}

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

/** Markdown for the Temporal Web UI. */
function detailsOf(key: string, { holder, waiting }: LockState): string {
  const held = holder ? `held by **${holder.run}** (${holder.who}) since ${holder.since}` : 'held by nobody';
  return `${key}: ${held}\n\n${waiting.map(({ run, who, when }) => `- ${run} (${who}): ${when}`).join('\n')}`;
}
