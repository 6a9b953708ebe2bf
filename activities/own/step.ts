import { Undecided } from '../../errors/classes.ts';
import type { OwnStep } from '../../pipelines/own/define.ts';
import type { Activity } from '../../pipelines/step.ts';
import { hadNoEffect, sendOnce } from '../effects/send-once.ts';
import type { StepContext } from '../frame/context.ts';

/** A user's step as the activity of a step. */
export const ownStep = (own: OwnStep): Activity<any, any, 'call'> => ({
  run: async (input, context) =>
    own.output.parseAsync(await (own.effect === 'never' ? once(own, input, context) : own.run(input, context))),
});

/** Effect `never`: only what was refused, put off or never sent is begun again. Whatever else fails may have had its effect. */
async function once(own: OwnStep, input: unknown, context: StepContext): Promise<unknown> {
  try {
    await context.fence();
    return (await sendOnce(context, { operation: own.name, input, send: async () => own.run(input, context) })).value;
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof Undecided || hadNoEffect(error)) throw error;
    throw new Undecided(
      `${own.name}: ${error instanceof Error ? error.message : String(error)} (not begun again: its effect is declared 'never')`,
      { cause: error },
    );
  }
}
