import type { Service } from '../../contracts/index.ts';
import { create, update } from '../../contracts/instance/budgets.ts';
import { ChangedMeanwhile } from '../../errors/classes.ts';
import type { Difference } from '../../pipelines/budgets/difference.ts';
import { exclusively } from '../../store/exclusive.ts';
import { lookupOf } from '../effects/lookup-of.ts';
import { hadNoEffect, sendOnce } from '../effects/send-once.ts';
import type { StepConnection, StepContext } from '../frame/context.ts';
import { look } from './seen.ts';

/** What the settling of differences needs of a step's context. */
export type SettleContext = Pick<
  StepContext,
  'invoke' | 'pages' | 'call' | 'signal' | 'store' | 'intents' | 'lookUp' | 'compare' | 'effectsSent' | 'step'
> & { connection: (service: Service) => Pick<StepConnection, 'settleMs' | 'url'> };

const operationOf = ({ kind }: Difference): 'instance.budgets.create' | 'instance.budgets.update' | 'instance.budgets.setMembers' =>
  kind === 'created' ? 'instance.budgets.create' : kind === 'limits' ? 'instance.budgets.setMembers' : 'instance.budgets.update';

/** Sends what makes a difference go away: one call, that is carried out whole or not at all. */
async function send(difference: Difference, id: string | null, context: SettleContext): Promise<void> {
  const { invoke, call, signal } = context;
  const { kind, project, to, members = [] } = difference;
  if (kind === 'created') {
    const { amountCents = 0, renewal, ...more } = to;
    const input = create.input.parse({ projectId: project, amountCents, ...more, ...(renewal ? { renewal } : {}) });
    const operation = 'instance.budgets.create';
    await sendOnce(context, {
      operation,
      input,
      lookup: lookupOf(create, input, context),
      send: async () => ({ id: (await call(create, input, { signal })).id }),
    });
    return;
  }
  if (kind === 'limits') {
    const entries = members.map(({ user, to: limitCents }) => ({ user, limitCents }));
    await invoke('instance.budgets.setMembers', { id: id!, members: entries }, { signal });
    return;
  }
  await call(update, update.input.parse({ id, ...to }), { signal });
}

/**
 * Settles one difference. What is as it should be is left alone; what is not as it was when it was compared is not written, for somebody
 * else has changed it: between the look and the call no other run of the store writes to the same budget.
 */
export async function settle(difference: Difference, name: string, context: SettleContext): Promise<'applied' | 'present'> {
  const intents = context.intents();
  const known = intents.state(name);
  if (known.is === 'done') return known.result as 'applied' | 'present';
  const { url } = context.connection('instance');
  return exclusively(context.store, `budget ${url} ${difference.id ?? difference.project}`, context, async () => {
    const begun = known.is === 'open';
    const seen = await look(difference, context);
    if (seen.is === 'to') {
      const fate = begun ? 'applied' : 'present';
      intents.done(name, fate);
      return fate;
    }
    if (seen.is === 'other' && context.compare)
      throw new ChangedMeanwhile(`${seen.says} since budgets were compared: nothing of this difference, and of those behind it, was sent`);
    await intents.beginRepeatable(name, { operation: operationOf(difference) });
    try {
      await send(difference, seen.id, context);
    } catch (error) {
      if (hadNoEffect(error)) intents.withdraw(name);
      throw error;
    }
    intents.done(name, 'applied');
    return 'applied';
  });
}
