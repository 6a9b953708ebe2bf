import { Undecided } from '../../errors/classes.ts';
import type { OwnPoll, OwnStep } from '../../pipelines/own/define.ts';
import { attemptMsOf } from '../../pipelines/own/own-fields.ts';
import type { Json } from '../../text/json.ts';
import { hadNoEffect, sendOnce } from '../effects/send-once.ts';
import type { StepContext } from '../frame/context.ts';
import { doorsOf } from './context.ts';
import { countEffects, type EffectsLeft } from './effects-left.ts';
import { callInTime } from './in-time.ts';
import { secretsRead, whereSecretsAre } from './secrets.ts';
import { takeOverCall } from './take-over.ts';
import type { Lease } from './thread/host/threads.ts';
import { triedBefore } from './tried.ts';

/** The code of a step that acts: that of a single step, or the start of a poll. */
export type Acting = { own: OwnStep | OwnPoll; method: 'run' | 'start' };

/** Calls the code of a step that acts, with effect `never` once. Returns what it gave. */
export const act = (acting: Acting, input: Json, lease: Lease, context: StepContext): Promise<Json> =>
  acting.own.effect === 'never' ? once(acting, input, lease, context) : begin(acting, input, lease, context, countEffects());

/** Fails where what it gave holds a secret: before it is kept anywhere. */
async function begin({ own, method }: Acting, input: Json, lease: Lease, context: StepContext, effects: EffectsLeft): Promise<Json> {
  const { id, pipeline } = context.run;
  const { attempts } = triedBefore(context);
  const stop = new AbortController();
  const call = {
    method,
    input: { input, attempt: attempts + 1, run: { id, pipeline } },
    doors: doorsOf(own, context, { effects, signal: stop.signal }),
  };
  const output = JSON.parse(await callInTime(lease, call, { ms: attemptMsOf(own), stop, signal: context.signal }).ended) as Json;
  secretsRead.refuse(method === 'run' ? `the output of ${own.name}` : `what the start of ${own.name} gave`, output);
  return output;
}

/** Effect `never`: only what was refused, put off or never sent is begun again. Whatever else fails may have had its effect. */
async function once(acting: Acting, input: Json, lease: Lease, context: StepContext): Promise<Json> {
  const { own } = acting;
  const effects = countEffects();
  try {
    await takeOverCall(own, input, context);
    await context.fence();
    const send = async (): Promise<Json> => begin(acting, input, lease, context, effects);
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
