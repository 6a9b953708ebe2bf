import { Undecided } from '../../errors/classes.ts';
import { sayFate, saidOf } from '../../pipelines/own/settle.ts';
import { formerCall } from '../../store/former-calls.ts';
import type { Intents } from '../../store/intents.ts';
import type { RowCall } from '../../store/row-lists.ts';
import { keepTakenOver } from '../../store/taken-over.ts';
import { keepTurn } from '../../store/turns.ts';
import type { Json } from '../../text/json.ts';
import type { StepContext } from '../frame/context.ts';
import { goOn } from '../frame/go-on.ts';
import { keyOf } from './send-once.ts';

/**
 * Puts what earlier runs know of a call into the journal of this one, before it is sent: one that has ended is not sent again, and one of
 * which nobody knows is looked up. Fails with `Undecided` where the records of such a run are gone and nobody has said that it is to be sent.
 */
export async function carryCall(context: StepContext, call: { operation: string; input: unknown }): Promise<void> {
  await keepTurn(context);
  const { former } = context.run;
  const key = keyOf(call);
  // What this run has begun itself is its own.
  const own = context.intents().state(key);
  if (!former || own.is !== 'new' || own.intents.length > 0) return;
  const { done, intents, lost } = await formerCall(former.runs, context, call.operation, key);
  if (done) {
    await keepTakenOver(context, done.by);
    return carry([{ call: key, result: done.result as Json }], context.intents());
  }
  if (saidOf(former.settled, context.step) === 'again') return;
  if (lost)
    throw new Undecided(
      `run ${lost.run} may have done ${context.step}, and nobody knows: ${lost.why}; see what it did, and where it did nothing: ${goOn(context.run)} ${sayFate(context.step, 'again')}`,
    );
  if (intents) await carry([{ call: key, open: intents }], context.intents());
}

/** Puts what an earlier run knows of calls into the journal of this one, before the first of them. */
export async function carry(calls: readonly RowCall[], intents: Intents): Promise<void> {
  for (const each of calls) {
    const { is, intents: before } = intents.state(each.call);
    if (is !== 'new' || before.length > 0) continue;
    if ('result' in each) intents.done(each.call, each.result);
    else for (const intent of each.open) await intents.begin(each.call, intent);
  }
}
