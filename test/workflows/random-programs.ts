import fc from 'fast-check';
import { endStatuses, type EndStatus, type Plan, type PlanStep } from '../../pipelines/plan.ts';
import type { Json } from '../../text/json.ts';
import { hasEnded, reduce as reducer } from '../../workflows/interpreter/reduce.ts';
import { hasEnd } from '../../pipelines/ends.ts';
import { isLeftAt } from '../../workflows/interpreter/block.ts';
import type { World } from '../../workflows/interpreter/state.ts';
import { initialState, parseKey, type Command, type Event, type State } from '../../workflows/interpreter/state.ts';
import { bareRun } from './bare-plan.ts';

/** Inputs of which some cannot be evaluated, and durations of gates that are none. */
const inputs: readonly Json[] = [
  {},
  {},
  { n: '${{ params.n }}' },
  { n: '${{ steps.s0.missing }}' },
  { expires: '1h' },
  { expires: '${{ params.never }}' },
];

/** Ends that a step names for its needs; undefined: the usual ones. */
const acceptances: readonly (EndStatus[] | undefined)[] = [
  undefined,
  undefined,
  ['done', 'skipped'],
  ['failed'],
  ['skipped', 'failed', 'cancelled'],
  [...endStatuses],
];

/** What is done about failures. */
const reactions: readonly PlanStep['onError'][] = [
  undefined,
  undefined,
  { else: { does: 'tolerate' } },
  { transient: { does: 'fail' }, else: { does: 'fail', retry: { times: 2, everyMs: 5 } } },
  { transient: { does: 'tolerate', retry: { times: 1, everyMs: 5 } }, else: { does: 'tolerate', retry: { times: 2, everyMs: 5 } } },
  { input: { does: 'fail' }, service: { does: 'fail', retry: { times: 1, everyMs: 5 } }, else: { does: 'tolerate' } },
];

/** Steps that are done about failures of one class. */
const handled: NonNullable<PlanStep['onError']> = {
  transient: { does: 'tolerate' },
  else: { does: 'steps', retry: { times: 1, everyMs: 5 } },
};

/** Errors by which steps fail: of several classes, and one after which nobody knows what was done. */
export const errors: readonly string[] = ['NetworkError', 'BadInput', 'ServiceFailed', 'Undecided', 'Other'];

type DrawnStep = {
  kind: PlanStep['kind'];
  needs: number;
  input: Json;
  window: number;
  accepts: (EndStatus[] | undefined)[];
  when: PlanStep['when'];
  onError: PlanStep['onError'];
  items: number;
  share: number | undefined;
  final: boolean;
  body: DrawnStep[];
  reacts: boolean;
};

/** A step; `loops`: how deep loops, and what is done about failures, may stand in it. */
const stepWith = (loops: number): fc.Arbitrary<DrawnStep> =>
  fc.record({
    kind: fc.constantFrom<PlanStep['kind']>('call', 'sweep', 'poll', 'gate', ...(loops > 0 ? (['loop', 'loop'] as const) : [])),
    needs: fc.nat(),
    input: fc.constantFrom(...inputs),
    window: fc.integer({ min: 1, max: 4 }),
    accepts: fc.array(fc.constantFrom(...acceptances), { minLength: 7, maxLength: 7 }),
    when: fc.constantFrom<PlanStep['when'][]>(
      undefined,
      undefined,
      undefined,
      true,
      false,
      '${{ params.n > 1 }}',
      '${{ params.n > 2 }}',
      '${{ params.n }}',
    ),
    onError: fc.constantFrom(...reactions),
    final: fc.boolean(),
    items: fc.integer({ min: -1, max: 5 }),
    share: fc.constantFrom(undefined, undefined, 0.5, 1),
    body: loops === 0 ? fc.constant([]) : fc.array(stepWith(loops - 1), { minLength: 1, maxLength: 3 }),
    reacts: fc.boolean(),
  });

/** Outputs of turns of which some cannot be evaluated. */
const rows: readonly { [name: string]: Json }[] = [{}, { item: '${{ item }}' }, { item: '${{ item.name }}' }];

/** A loop as a whole is not tried again. */
const withoutRetries = (onError: NonNullable<PlanStep['onError']>): NonNullable<PlanStep['onError']> =>
  Object.fromEntries(Object.entries(onError).map(([of, { does }]) => [of, { does }]));

const stepsOf = (drawn: readonly DrawnStep[], loop?: string, on?: PlanStep['on']): PlanStep[] =>
  drawn.flatMap(({ kind, needs, input, window, accepts, when, onError, items, share, body, reacts }, index) => {
    const named = (at: number): string => `${loop === undefined ? '' : `${loop}_`}s${at}`;
    const step: PlanStep = {
      id: named(index),
      ...(loop === undefined ? {} : { in: loop }),
      ...(on === undefined ? {} : { on }),
      kind,
      // Bits of a number choose among the steps above.
      needs: Array.from({ length: index }, (_, at) => at).flatMap((at) => (needs & (1 << at) ? [named(at)] : [])),
      accepts: Object.fromEntries(accepts.flatMap((ends, at) => (ends === undefined || at >= index ? [] : [[named(at), ends]]))),
      ...(when === undefined ? {} : { when }),
      ...(onError === undefined || kind === 'gate' ? {} : { onError: kind === 'loop' ? withoutRetries(onError) : onError }),
      use: `x.${kind}`,
      with: kind === 'loop' ? { items: items < 0 ? 'none' : Array.from({ length: items }, (_, at) => `item ${at}`) } : input,
      connections: {},
      timeouts: { attemptMs: 1, deadlineMs: 1, pollMs: 60_000 },
      window,
      ...(share === undefined ? {} : { tolerate: { failed: { share } } }),
      ...(kind === 'loop' ? { each: { as: 'item', outputs: rows[needs % 3]! } } : {}),
    };
    if (kind === 'loop') return [step, ...stepsOf(body, step.id)];
    return body.length === 0 || kind === 'gate' || !reacts ? [step] : [{ ...step, onError: handled }, ...stepsOf(body, step.id, 'else')];
  });

/** The last of several steps stands under `finally` where chance says so: it follows all others, however they end. */
function withFinally(steps: PlanStep[], { final }: Pick<DrawnStep, 'final'>): PlanStep[] {
  const beside = steps.filter((step) => step.in === undefined).map(({ id }) => id);
  const last = beside.pop()!;
  if (!final || beside.length === 0) return steps;
  const accepts = Object.fromEntries(beside.map((id) => [id, [...endStatuses]]));
  return steps.map((step) => (step.id === last ? { ...step, finally: true as const, needs: beside, accepts } : step));
}

export const planOf = (drawn: readonly DrawnStep[]): Plan => ({
  version: 1,
  pipeline: 'p',
  hash: 'h',
  cel: '8',
  params: { n: 2, never: 'soon' },
  steps: withFinally(stepsOf(drawn), drawn.at(-1)!),
  outputs: { all: '${{ params.n }}' },
  sources: [],
  concurrency: null,
});

const acts = ['end', 'end', 'end', 'end', 'fail', 'pause', 'resume', 'approve', 'reject', 'cancel', 'drain'] as const;

const result = (command: Command, chance: number): Json => {
  const { phase } = parseKey(command.key);
  if (phase === 'prepare') return { chunks: chance % 7, items: 70, state: null };
  if (phase === 'chunk') return { done: 10 };
  if (phase === 'check') return { done: true, output: {} };
  return command.do === 'activity' && command.step !== 's0' && chance % 2 ? { done: false, token: 1 } : { done: true, output: {} };
};

export type Reducer = typeof reducer;

/**
 * `sent`: keys, each with the try that sent it; `early`: keys under way of steps that had ended, or, in a run that was
 * cancelled, while what stands under `finally` began.
 */
export type Play = { state: State; sent: string[]; open: string[][]; inflight: string[][]; early: string[] };

/** Plays a program with chance as its adapter; then approves, resumes and ends everything, so that it must come to an end. */
export function play(plan: Plan, drawn: readonly { act: (typeof acts)[number]; chance: number }[], reduce: Reducer = reducer): Play {
  let state = initialState(plan);
  const world: World = { plan, run: bareRun, now: 0 };
  const open: Command[] = [];
  const played: Play = { state, sent: [], open: [], inflight: [], early: [] };
  const last = plan.steps.find((step) => step.finally)?.id;
  const isLast = ({ key }: Command): boolean => /^\w+/.exec(parseKey(key).step)?.[0] === last;
  const feed = (event: Event, draining = false): void => {
    world.now++;
    const commands = reduce(state, event, world, draining);
    open.push(...commands);
    // Every try may send what the one before it sent.
    played.sent.push(...commands.map(({ key }) => `${key} ${state.steps[parseKey(key).step]?.retries?.begun ?? 0}`));
    played.open.push(open.map(({ key }) => key).sort());
    played.inflight.push([...state.inflight].sort());
    // A cancellation ends the steps first, and an open gate leaves its timer behind.
    const ended = (key: string): boolean => hasEnd(state.steps[parseKey(key).step]?.status) && parseKey(key).phase !== 'expire';
    if (!state.cancelled) played.early.push(...state.inflight.filter(ended));
    else if (commands.some(isLast)) played.early.push(...open.filter((command) => !isLast(command)).map(({ key }) => key));
  };
  const endOne = (chance: number, draining = false): void => {
    const [command] = open.splice(chance % open.length, 1);
    if (!command) return;
    const waits = draining && (command.do === 'timer' || parseKey(command.key).phase === 'check');
    feed(waits ? { is: 'withdrawn', key: command.key } : { is: 'ended', key: command.key, result: result(command, chance) }, draining);
  };
  const gate = (): string | undefined => Object.keys(state.steps).find((id) => state.steps[id]!.status === 'approval');
  const decide = (approve: boolean): void => {
    const id = gate();
    if (id !== undefined) feed({ is: 'decide', decision: { step: id, approve, who: 'ann', note: '' } });
  };
  feed({ is: 'start' });
  for (const { act, chance } of drawn) {
    if (hasEnded(state)) break;
    if (act === 'end' && open.length > 0) endOne(chance);
    if (act === 'fail' && open.length > 0)
      feed({
        is: 'failed',
        key: open.splice(chance % open.length, 1)[0]!.key,
        error: { type: errors[chance % errors.length]!, message: `${chance}` },
      });
    if (act === 'pause') feed({ is: 'pause', request: { who: `p${chance}` } });
    if (act === 'resume') feed({ is: 'resume' });
    if (act === 'approve' || act === 'reject') decide(act === 'approve');
    if (act === 'cancel' && chance % 4 === 0) {
      feed({ is: 'cancel' });
      const given = (): number => open.findIndex(({ key }) => isLeftAt(state, plan, parseKey(key).step));
      for (let at = given(); at >= 0; at = given()) feed({ is: 'withdrawn', key: open.splice(at, 1)[0]!.key });
    }
    if (act === 'drain') {
      while (open.length > 0) endOne(chance, true);
      if (hasEnded(state)) break;
      state = JSON.parse(JSON.stringify(state)) as State;
      played.state = state;
      feed({ is: 'start' });
    }
  }
  feed({ is: 'resume' });
  for (let turn = 0; !hasEnded(state) && turn < 20_000; turn++) {
    decide(true);
    if (open.length > 0) endOne(turn);
  }
  return played;
}

export const programs = fc.tuple(
  fc.array(stepWith(2), { minLength: 1, maxLength: 7 }),
  fc.array(fc.record({ act: fc.constantFrom(...acts), chance: fc.nat({ max: 1_000 }) }), { maxLength: 40 }),
);

/** So many programs, other ones each time. */
export const drawn = (count: number) => fc.sample(programs, count);
