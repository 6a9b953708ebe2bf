import { setTimeout as sleep } from 'node:timers/promises';
import { isAmbiguous } from '../../client/errors.ts';
import type { StepContext } from '../frame/context.ts';

/**
 * Sends a call whose repeat would be a second effect. Where an answer may have been lost (an ambiguous failure now,
 * or an earlier attempt of this activity that never reported), the effect is looked up before anything is sent:
 * after a settle wait in which a late effect can still land, twice.
 */
export async function reconciled<T>(
  context: StepContext,
  call: { operation: string; find(): Promise<T | undefined>; send(): Promise<T> },
): Promise<{ value: T; found: boolean }> {
  if (context.attempt > 1 && context.reconcile) {
    const value = await settleAndFind(context, call);
    if (value !== undefined) return { value, found: true };
  }
  try {
    return { value: await call.send(), found: false };
  } catch (error) {
    if (!isAmbiguous(error) || !context.reconcile) throw error;
    await context.store.event({ step: context.step, kind: 'reconcile', cause: (error as Error).message, operation: call.operation });
    const value = await settleAndFind(context, call);
    if (value !== undefined) return { value, found: true };
    // Looked for twice after the time in which it could still land: it never happened.
    return { value: await call.send(), found: false };
  }
}

async function settleAndFind<T>(context: StepContext, call: { operation: string; find(): Promise<T | undefined> }): Promise<T | undefined> {
  await sleep(context.connection.settleMs, undefined, { signal: context.signal });
  const value = (await call.find()) ?? (await call.find());
  await context.store.event({
    step: context.step,
    kind: 'reconcile',
    cause: value === undefined ? 'looked up: no effect, sending again' : 'looked up: the effect was there, nothing sent again',
    operation: call.operation,
  });
  return value;
}
