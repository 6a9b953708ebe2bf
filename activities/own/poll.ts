import { operations } from '../../contracts/index.ts';
import { BadInput, ServiceFailed } from '../../errors/classes.ts';
import type { OwnPoll } from '../../pipelines/own/define.ts';
import { attemptMsOf } from '../../pipelines/own/own-fields.ts';
import { deadlineMsOf } from '../../pipelines/own/single.ts';
import type { Progress } from '../../pipelines/phases.ts';
import type { Json } from '../../text/json.ts';
import type { Activity } from '../frame/activity.ts';
import type { StepContext } from '../frame/context.ts';
import { doorsOf } from './context.ts';
import { callInTime } from './in-time.ts';
import { act } from './once.ts';
import { secretsRead } from './secrets.ts';
import type { Doors } from './thread/host/doors.ts';
import type { Lease, OwnFile } from './thread/host/threads.ts';
import { counted, triedBefore } from './tried.ts';
import { withThread } from './with-thread.ts';

/** `since`: when it was started, in milliseconds since the epoch. */
type Token = { job: Json; since: number };

type Look = { output: Json } | { againSeconds?: number; progress?: Progress };

/** A user's poll as the activities of a step. A look that finds nothing done is no attempt and no event. */
export const ownPoll = (own: OwnPoll, file: OwnFile): Activity<any, any, 'poll'> => ({
  start: (input, context) =>
    withThread(file, { own, name: 'start' }, context, (lease, called) =>
      counted(called, lease, context, async () => {
        const job = await act({ own, method: 'start' }, input, lease, context);
        return { done: false, token: { job, since: Date.now() } satisfies Token };
      }),
    ),

  check: (input, token: Token, context) =>
    withThread(file, { own, name: 'check' }, context, (lease, called) =>
      counted(called, lease, context, async () => {
        const looked = await look(own, input, token, lease, context);
        if ('output' in looked) return { done: true, output: looked.output };
        const waitedMs = Date.now() - token.since;
        const leftMs = deadlineMsOf(own) - waitedMs;
        if (leftMs <= 0) throw new ServiceFailed(notDone(own, looked.progress));
        const { againSeconds = Math.min(60, Math.max(1, waitedMs / 10_000)), progress } = looked;
        return { done: false, token, againMs: Math.min(againSeconds * 1_000, leftMs), ...(progress ? { progress } : {}) };
      }),
    ),
});

async function look(own: OwnPoll, input: Json, { job, since }: Token, lease: Lease, context: StepContext): Promise<Look> {
  const { id, pipeline } = context.run;
  const stop = new AbortController();
  const call = {
    method: 'check' as const,
    input: {
      input,
      job,
      waitedSeconds: (Date.now() - since) / 1_000,
      attempt: triedBefore(context).attempts + 1,
      run: { id, pipeline },
    },
    doors: readingOnly(own, doorsOf(own, context, { signal: stop.signal })),
  };
  const looked = JSON.parse(await callInTime(lease, call, { ms: attemptMsOf(own), stop, signal: context.signal }).ended) as Look;
  secretsRead.refuse(`what the check of ${own.name} gave`, looked);
  return looked;
}

/** A look is made any number of times, so that it may only read. */
function readingOnly(own: OwnPoll, doors: Doors): Doors {
  return {
    ...doors,
    invoke: async (operation, input, options) => {
      if (operations[operation].effect !== 'safe')
        throw new BadInput('bad_input', `check of ${own.name} calls ${operation}, which is no read: what acts belongs into start`);
      return doors.invoke(operation, input, options);
    },
  };
}

function notDone(own: OwnPoll, progress: Progress | undefined): string {
  const { done, total, unit, note } = progress ?? {};
  const far = done === undefined ? [] : [`${done}${total === undefined ? '' : ` of ${total}`} ${unit}`];
  const seen = [...far, ...(note === undefined ? [] : [note])].join(', ');
  return `${own.name} is not done ${deadlineMsOf(own) / 1_000} s after its start (deadlineSeconds)${seen === '' ? '' : `; last seen: ${seen}`}`;
}
