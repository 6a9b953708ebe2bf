import { isWait } from '../../client/wait.ts';
import { Undecided } from '../../errors/classes.ts';
import type { OwnStep } from '../../pipelines/own/define.ts';
import type { Activity } from '../frame/activity.ts';
import { hadNoEffect, sendOnce } from '../effects/send-once.ts';
import type { StepContext } from '../frame/context.ts';
import { ownContext } from './context.ts';
import { reported } from './failure.ts';
import { secretsRead } from './secrets.ts';

/** A user's step as the activity of a step. */
export const ownStep = (own: OwnStep): Activity<any, any, 'call'> => ({
  async run(input, context) {
    try {
      const output = await own.output.parseAsync(await (own.effect === 'never' ? once(own, input, context) : begin(own, input, context)));
      secretsRead.refuse(`the output of ${own.name}`, output);
      return output;
    } catch (error) {
      context.signal.throwIfAborted();
      throw isWait(error) ? error : reported(own.name, error);
    }
  },
});

const begin = (own: OwnStep, input: unknown, context: StepContext) => own.run(input, ownContext(context, { attempt: context.attempt }));

/** Effect `never`: only what was refused, put off or never sent is begun again. Whatever else fails may have had its effect. */
async function once(own: OwnStep, input: unknown, context: StepContext): Promise<unknown> {
  try {
    await context.fence();
    return (await sendOnce(context, { operation: own.name, input, send: async () => begin(own, input, context) })).value;
  } catch (error) {
    if (!context.lookUp || error instanceof Undecided || hadNoEffect(error)) throw error;
    const undecided = new Undecided(
      `${own.name}: ${error instanceof Error ? error.message : String(error)} (not begun again: its effect is declared 'never')`,
      { cause: error },
    );
    if (error instanceof Error && error.stack !== undefined) undecided.stack = error.stack;
    throw undecided;
  }
}
