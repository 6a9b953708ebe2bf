import { Undecided } from '../../errors/classes.ts';
import type { OwnStep } from '../../pipelines/own/define.ts';
import { attemptMsOf } from '../../pipelines/own/own-fields.ts';
import type { Json } from '../../text/json.ts';
import { hadNoEffect, sendOnce } from '../effects/send-once.ts';
import type { Activity } from '../frame/activity.ts';
import type { StepContext } from '../frame/context.ts';
import { doorsOf } from './context.ts';
import { countEffects, type EffectsLeft } from './effects-left.ts';
import { secretsRead, whereSecretsAre } from './secrets.ts';
import { callInTime } from './in-time.ts';
import { takeOverCall } from './take-over.ts';
import type { Lease, OwnFile } from './thread/host/threads.ts';
import { counted, triedBefore } from './tried.ts';

/** A user's step as the activity of a step. Input and output are checked in the thread: a user's schema is a user's code. */
export const ownStep = (own: OwnStep, file: OwnFile): Activity<any, any, 'call'> => ({
  run: (input, context) =>
    context.threads.use(file, (lease) =>
      counted(own.name, context, { file: file.file, own, name: 'run' }, async () => {
        await lease.ready();
        return own.effect === 'never' ? once(own, input, lease, context) : begin(own, input, lease, context, countEffects());
      }),
    ),
});

/** Fails where the output holds a secret: before it is kept anywhere. */
async function begin(own: OwnStep, input: Json, lease: Lease, context: StepContext, effects: EffectsLeft): Promise<Json> {
  const { id, pipeline } = context.run;
  const { attempts } = triedBefore(context);
  const stop = new AbortController();
  const abort = (): void => stop.abort(context.signal.reason);
  if (context.signal.aborted) abort();
  context.signal.addEventListener('abort', abort, { once: true });
  const call = {
    method: 'run' as const,
    input: { input, attempt: attempts + 1, run: { id, pipeline } },
    doors: doorsOf(own, context, { effects, signal: stop.signal }),
  };
  const timed = callInTime(lease, call, { ms: attemptMsOf(own), stop });
  const output = JSON.parse(await timed.ended.finally(() => context.signal.removeEventListener('abort', abort))) as Json;
  secretsRead.refuse(`the output of ${own.name}`, output);
  return output;
}

/** Effect `never`: only what was refused, put off or never sent is begun again. Whatever else fails may have had its effect. */
async function once(own: OwnStep, input: Json, lease: Lease, context: StepContext): Promise<Json> {
  const effects = countEffects();
  try {
    takeOverCall(own, input, context);
    await context.fence();
    const send = async (): Promise<Json> => begin(own, input, lease, context, effects);
    return (await sendOnce(context, { operation: own.name, input, send, left: () => effects.count() })).value;
  } catch (error) {
    if (!context.lookUp || error instanceof Undecided || (hadNoEffect(error) && effects.count() === 0)) throw error;
    const undecided = new Undecided(
      `${own.name}: ${error instanceof Error ? error.message : String(error)} (not begun again: its effect is declared 'never'${whereSecretsAre(own)})`,
      { cause: error },
    );
    if (error instanceof Error && error.stack !== undefined) undecided.stack = error.stack;
    throw undecided;
  }
}
