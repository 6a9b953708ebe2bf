import type { OwnStep } from '../../pipelines/own/define.ts';
import type { Activity } from '../../pipelines/step.ts';
import type { StepContext } from '../frame/context.ts';

/** A user's step as the activity of a step. */
export const ownStep = (own: OwnStep): Activity<any, any, 'call'> => ({
  run: async (input, context) =>
    own.output.parseAsync(await (own.effect === 'never' ? once(own, input, context) : own.run(input, context))),
});

/** A person decides: the failure is final, whatever its cause. */
class NotRepeated extends Error {
  override readonly name = 'NotRepeated';
  readonly retryable = false;
}

/** Effect `never`: an attempt that was lost or failed may have taken effect, so nothing is sent again. */
async function once(own: OwnStep, input: unknown, context: StepContext): Promise<unknown> {
  if (context.attempt > 1)
    throw new NotRepeated(
      `${own.name} was begun before and its answer was lost; its effect is declared 'never', so it is not begun again. See what it did, then start a new run`,
    );
  try {
    return await own.run(input, context);
  } catch (error) {
    context.signal.throwIfAborted();
    throw new NotRepeated(
      `${own.name}: ${error instanceof Error ? error.message : String(error)} (not repeated: its effect is declared 'never')`,
      { cause: error },
    );
  }
}
