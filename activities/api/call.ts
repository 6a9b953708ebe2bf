import { isAmbiguous } from '../../client/errors.ts';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { operations } from '../../contracts/index.ts';
import type { definition } from '../../pipelines/steps/api/call.ts';
import type { ActivityOf } from '../frame/activity-of.ts';
import { reconciled } from '../effects/reconcile.ts';
import { Undecided } from '../../errors/classes.ts';

const activity: ActivityOf<typeof definition> = {
  async run({ operation, input }, context) {
    const endpoint: Endpoint = operations[operation];
    const send = (): Promise<unknown> => context.invoke(operation, input, { signal: context.signal });
    if (endpoint.effect === 'safe' || endpoint.effect === 'idempotent') return { result: await send() };

    const undecided = (why: string): Undecided =>
      new Undecided(
        `${operation} may have been carried out (${why}) and cannot be looked up: check the service, then run again or leave the step out`,
      );
    if (endpoint.lookup) {
      const { lookup } = endpoint;
      const ask: typeof context.call = (asked, fields) => context.call(asked, fields, { signal: context.signal });
      // What was there before is known only where this attempt is the first to send.
      const before = context.attempt > 1 ? [] : ((await lookup.before?.(input, ask)) ?? []);
      const find = async (): Promise<unknown> => {
        const found = await lookup.find(endpoint.input.parse(input), before, ask);
        if (found === 'absent') return undefined;
        if ('unknown' in found) throw undecided(found.unknown);
        return found.answer;
      };
      return { result: (await reconciled(context, { operation, find, send })).value };
    }
    if (context.attempt > 1) throw undecided('an earlier attempt never reported');
    try {
      return { result: await send() };
    } catch (error) {
      throw isAmbiguous(error) ? undecided((error as Error).message) : error;
    }
  },
};
export default activity;
