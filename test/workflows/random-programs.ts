import fc from 'fast-check';
import { endStatuses, type EndStatus, type Plan, type PlanStep } from '../../pipelines/plan.ts';
import type { Json } from '../../text/json.ts';
import { hasEnded, reduce as reducer } from '../../workflows/interpreter/reduce.ts';
import { hasEnd } from '../../pipelines/ends.ts';
import type { World } from '../../workflows/interpreter/state.ts';
import { initialState, parseKey, type Command, type Event, type State } from '../../workflows/interpreter/state.ts';

const run = { id: 'r1', pipeline: 'p', store: 'file:///nowhere', baseDir: '/', host: 'here' };
const kinds: readonly PlanStep['kind'][] = ['call', 'sweep', 'poll', 'gate'];

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

const step = fc.record({
  kind: fc.constantFrom(...kinds),
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
  tolerated: fc.constantFrom(false, false, true),
});

export type Drawn = typeof step extends fc.Arbitrary<infer T> ? T : never;

export const planOf = (drawn: Drawn[]): Plan => ({
  version: 1,
  pipeline: 'p',
  hash: 'h',
  cel: '8',
  params: { n: 2, never: 'soon' },
  steps: drawn.map(({ kind, needs, input, window, accepts, when, tolerated }, index) => ({
    id: `s${index}`,
    kind,
    // Bits of a number choose among the steps above.
    needs: Array.from({ length: index }, (_, at) => at).flatMap((at) => (needs & (1 << at) ? [`s${at}`] : [])),
    accepts: Object.fromEntries(accepts.flatMap((ends, at) => (ends === undefined || at >= index ? [] : [[`s${at}`, ends]]))),
    ...(when === undefined ? {} : { when }),
    ...(tolerated ? { onError: 'tolerate' as const } : {}),
    use: `x.${kind}`,
    with: input,
    connections: {},
    timeouts: { attemptMs: 1, deadlineMs: 1, pollMs: 60_000 },
    window,
  })),
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

/** `early`: keys under way of steps that had ended. */
export type Play = { state: State; sent: string[]; open: string[][]; inflight: string[][]; early: string[] };

/** Plays a program with chance as its adapter; then approves, resumes and ends everything, so that it must come to an end. */
export function play(plan: Plan, drawn: readonly { act: (typeof acts)[number]; chance: number }[], reduce: Reducer = reducer): Play {
  let state = initialState(plan);
  const world: World = { plan, run, now: 0 };
  const open: Command[] = [];
  const played: Play = { state, sent: [], open: [], inflight: [], early: [] };
  const feed = (event: Event, draining = false): void => {
    world.now++;
    const commands = reduce(state, event, world, draining);
    open.push(...commands);
    played.sent.push(...commands.map(({ key }) => key));
    played.open.push(open.map(({ key }) => key).sort());
    played.inflight.push([...state.inflight].sort());
    // A cancellation ends the steps first, and an open gate leaves its timer behind.
    const ended = (key: string): boolean => hasEnd(state.steps[parseKey(key).step]?.status) && parseKey(key).phase !== 'expire';
    if (!state.cancelled) played.early.push(...state.inflight.filter(ended));
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
      feed({ is: 'failed', key: open.splice(chance % open.length, 1)[0]!.key, error: { type: 'ApiError', message: `${chance}` } });
    if (act === 'pause') feed({ is: 'pause', request: { who: `p${chance}` } });
    if (act === 'resume') feed({ is: 'resume' });
    if (act === 'approve' || act === 'reject') decide(act === 'approve');
    if (act === 'cancel' && chance % 4 === 0) {
      feed({ is: 'cancel' });
      while (open.length > 0) feed({ is: 'withdrawn', key: open.shift()!.key });
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
  for (let turn = 0; !hasEnded(state) && turn < 2_000; turn++) {
    decide(true);
    if (open.length > 0) endOne(turn);
  }
  return played;
}

export const programs = fc.tuple(
  fc.array(step, { minLength: 1, maxLength: 7 }),
  fc.array(fc.record({ act: fc.constantFrom(...acts), chance: fc.nat({ max: 1_000 }) }), { maxLength: 40 }),
);

/** So many programs, other ones each time. */
export const drawn = (count: number) => fc.sample(programs, count);
