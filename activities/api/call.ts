import type { CallOptions } from '../../client/client.ts';
import { isAmbiguous } from '../../client/errors.ts';
import { operations, type OperationName } from '../../contracts/index.ts';
import type { definition } from '../../pipelines/steps/api/call.ts';
import type { ActivityOf } from '../frame/activity-of.ts';
import type { StepContext } from '../frame/context.ts';
import { findEffect } from '../effects/find.ts';
import { reconciled } from '../effects/reconcile.ts';
import { Undecided } from '../../errors/classes.ts';

const activity: ActivityOf<typeof definition> = {
  async run(input, context) {
    const operation = input.operation;
    const send = (): Promise<unknown> => call(context, operation, input.input);
    if (['safe', 'idempotent'].includes(operations[operation].effect)) return { result: await send() };

    const find = findEffect[operation];
    if (find) return { result: (await reconciled(context, { operation, find: () => find(context, input.input), send })).value };
    const undecided = (why: string): Undecided =>
      new Undecided(
        `${operation} may have been carried out (${why}) and cannot be looked up: check the service, then run again or leave the step out`,
      );
    if (context.attempt > 1) throw undecided('an earlier attempt never reported');
    try {
      return { result: await send() };
    } catch (error) {
      throw isAmbiguous(error) ? undecided((error as Error).message) : error;
    }
  },
};
export default activity;

function call(context: StepContext, operation: OperationName, input: unknown): Promise<unknown> {
  const [, resource, method] = operation.split('.') as [string, string, string];
  const client = context.maps as unknown as Record<string, Record<string, (input: unknown, options: CallOptions) => Promise<unknown>>>;
  return client[resource]![method]!(input, { signal: context.signal });
}
