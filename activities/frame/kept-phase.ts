import type { ActivityInput } from '../../pipelines/plan.ts';
import type { Json } from '../../text/json.ts';
import type { Kind } from '../../pipelines/step.ts';
import type { Started, SweepPrepared } from '../../pipelines/phases.ts';
import type { RunStore } from '../../store/run-store.ts';
import { keepValue, keptValue } from '../../store/kept-values.ts';

type Keep = (value: Json) => Promise<Json>;

const polled = async (result: Started<Json>, keep: Keep): Promise<Json> =>
  result.done ? { done: true, output: await keep(result.output) } : { done: false, token: await keep(result.token as Json) };

const whole = (output: Json, keep: Keep): Promise<Json> => keep(output);

/** What of the result of a kind's phase may be large, and is kept in the run store then. Counts of a chunk never are. */
const kept: { readonly [phase in `${Exclude<Kind, 'gate'>}/${string}`]?: (result: any, keep: Keep) => Promise<Json> } = {
  'call/main': whole,
  'sweep/prepare': async ({ state, ...prepared }: SweepPrepared<Json>, keep) => ({ ...prepared, state: await keep(state) }),
  'sweep/finish': whole,
  'poll/main': polled,
  'poll/check': polled,
};

/** The result of a phase as it goes into the history. */
export const keepResult = async (store: RunStore, kind: Kind, phase: string, result: unknown): Promise<unknown> =>
  kept[`${kind}/${phase}` as keyof typeof kept]?.(result ?? null, (value) => keepValue(store, value ?? null)) ?? result;

/** What a phase is called with, its references read. */
export async function withKeptValues(args: ActivityInput): Promise<ActivityInput> {
  const [input, state, token] = await Promise.all([args.input, args.state ?? null, args.token ?? null].map(keptValue));
  return {
    ...args,
    input: input!,
    ...(args.state === undefined ? {} : { state: state! }),
    ...(args.token === undefined ? {} : { token: token! }),
  };
}
