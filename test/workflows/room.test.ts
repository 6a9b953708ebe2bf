import { expect, test } from 'vitest';
import type { Plan, PlanStep, SubPlan } from '../../pipelines/plan.ts';
import type { Json } from '../../text/json.ts';
import { hasEnded, reduce } from '../../workflows/interpreter/reduce.ts';
import { newRoom, taskRoom } from '../../workflows/interpreter/room.ts';
import { initialState, type Command, type Event, type State } from '../../workflows/interpreter/state.ts';
import { barePlan, bareRun, planStep } from './bare-plan.ts';

const list = (length: number): number[] => Array.from({ length }, (_, at) => at);

const loop = (id: string, items: number, parallel: number, more: Partial<PlanStep> = {}): PlanStep =>
  planStep(id, 'loop', { with: { items: list(items) }, window: parallel, each: { as: 'item', outputs: {} }, ...more });

function begin(steps: PlanStep[], pipelines: Plan['pipelines'] = {}) {
  const plan = barePlan(steps, { pipelines });
  const state = initialState(plan);
  let room = newRoom();
  const feed = (event: Event): Command[] => reduce(state, event, { plan, run: bareRun, now: 1, room }, false);
  /** What comes later comes when all that was sent has reached the server. */
  const later = (event: Event): Command[] => ((room = newRoom()), feed(event));
  return { plan, state, feed, later, room: () => room };
}

/** Ends what was sent first, one in each task, until nothing is under way. */
function toTheEnd({ state, later }: ReturnType<typeof begin>, first: Command[], seen: (state: State) => void): number {
  const sent = [...first];
  for (let at = 0; at < sent.length; at++) {
    const { key } = sent[at]!;
    sent.push(...later({ is: 'ended', key, result: key.endsWith('/outputs') ? {} : null }));
    seen(state);
  }
  return sent.length;
}

const openTurns = ({ steps }: State): number =>
  Object.values(steps).reduce((sum, { loop: of }) => sum + Object.keys(of?.open ?? {}).length, 0);

test('of wide turns with long texts no more is sent in one task than the server takes, and all of it in the end', () => {
  const text = 'lorem ipsum '.repeat(330);
  const wide = begin([loop('each', 100, 100), ...list(12).map((at) => planStep(`s${at}`, 'call', { in: 'each', with: { text } }))]);
  const first = wide.feed({ is: 'start' });
  expect(first.length).toBe(200);
  // Events that come together are seen to in one task, which has no more room than one alone.
  const more = first.flatMap(({ key }) => wide.feed({ is: 'ended', key, result: null }));
  expect(wide.room().left).toBeGreaterThanOrEqual(0);
  expect(wide.room().left).toBeLessThan(20_000);
  expect(more.length).toBeGreaterThan(100);
  toTheEnd(wide, more, ({ inflight }) => expect(inflight.length).toBeLessThanOrEqual(200));
  expect(hasEnded(wide.state)).toBe(true);
  expect(wide.state.steps['each']!.output).toMatchObject({ count: 100, done: 100 });
});

test('of runs of a file with long texts as many begin at a time as one task can send, and all in the end', () => {
  const sub = { file: `${'x'.repeat(48_000)}.yaml`, plan: { steps: [] as PlanStep[] } } as SubPlan;
  const many = begin([loop('each', 100, 100), planStep('one', 'pipeline', { in: 'each', version: 'long' })], { long: sub });
  const first = many.feed({ is: 'start' });
  expect(first.length).toBeGreaterThan(30);
  expect(first.length).toBeLessThan(50);
  expect(many.room().short).toBe(true);
  const sent = toTheEnd(many, first, () => undefined);
  expect([sent, hasEnded(many.state)]).toEqual([100, true]);
});

test('texts of many bytes take the room of those, and what a worker evaluates is sent with all parameters', () => {
  const wide = (text: string): Command[] =>
    begin(list(100).map((at) => planStep(`s${at}`, 'call', { with: { text } }))).feed({ is: 'start' });
  expect(wide('x'.repeat(30_000)).length).toBeGreaterThan(60);
  expect(wide('語'.repeat(30_000)).length).toBeLessThan(25);
  const steps = list(100).map((at) => planStep(`s${at}`, 'call', { needs: ['kept'], with: { text: '${{ size(steps.kept) }}' } }));
  const read = begin([planStep('kept', 'call'), ...steps]);
  read.plan.params = { text: 'x'.repeat(60_000) };
  read.feed({ is: 'start' });
  const evaluated = read.later({ is: 'ended', key: 'kept/main', result: { $kept: 'a', bytes: 10_000 } as never });
  expect(evaluated.map(({ do: does }) => does)).toContain('evaluate');
  expect(evaluated.length).toBeLessThan(35);
});

test('of loops in loops no more turns are under way together than one task can see to, and every loop goes on', () => {
  const nested = begin([
    loop('outer', 20, 20),
    loop('inner', 30, 30, { in: 'outer' }),
    planStep('s', 'call', { in: 'inner', with: { n: '${{ item }}' } as Json }),
  ]);
  let most = 0;
  const first = nested.feed({ is: 'start' });
  const sent = toTheEnd(nested, first, (state) => (most = Math.max(most, openTurns(state))));
  expect(hasEnded(nested.state)).toBe(true);
  expect(nested.state.steps['outer']!.output).toMatchObject({ count: 20, done: 20 });
  expect(sent).toBe(600);
  expect(most).toBeGreaterThanOrEqual(200);
  expect(most).toBeLessThanOrEqual(240);
});

test('loops in loops go on where those around them have all the turns that there is room for', () => {
  const deep = begin([
    loop('outer', 100, 100),
    loop('middle', 2, 2, { in: 'outer' }),
    loop('inner', 1, 1, { in: 'middle' }),
    planStep('s', 'call', { in: 'inner' }),
  ]);
  const sent = toTheEnd(deep, deep.feed({ is: 'start' }), () => undefined);
  expect([sent, hasEnded(deep.state)]).toEqual([200, true]);
});

test('turns over long items begin as far as the state of the run has room for their items, and all in the end', () => {
  const long = 'x'.repeat(25_000);
  const wide = begin([
    loop('each', 0, 100, { with: { items: '${{ steps.before }}' }, needs: ['before'] }),
    planStep('s', 'call', { in: 'each' }),
    planStep('before', 'call'),
  ]);
  const sent = [...wide.feed({ is: 'start' })];
  let most = 0;
  for (let at = 0; at < sent.length; at++) {
    const command = sent[at]!;
    const { key } = command;
    const kept = { $kept: 'a', sha256: 'x', bytes: 1_500_000 };
    const page = { total: 60, items: [command.do === 'items' && command.from === 40 ? 'y'.repeat(600_000) : long] };
    const result = key === 'before/main' || key === 'each/input' ? kept : command.do === 'items' ? page : null;
    // Turns end late: the items of all that have begun are held together.
    if (key.endsWith('s/main') && sent.slice(at + 1).some((later) => !later.key.endsWith('s/main'))) {
      sent.push(command);
      continue;
    }
    sent.push(...wide.later({ is: 'ended', key, result }));
    most = Math.max(most, openTurns(wide.state));
  }
  expect(most).toBe(19);
  expect(wide.state.steps['each']!.output).toMatchObject({ count: 60, done: 60 });
  expect(hasEnded(wide.state)).toBe(true);
});

test('what waits for a person holds up no work', () => {
  const gates = list(300).map((at) => planStep(`gate${at}`, 'gate'));
  const { feed } = begin([...gates, planStep('after', 'call')]);
  const sent = feed({ is: 'start' });
  expect(sent.length).toBe(301);
  expect(sent.at(-1)!.key).toBe('after/main');
});

test('what is longer than a task has room for is sent alone, by the next task', () => {
  const text = 'x'.repeat(taskRoom);
  const { feed, later, state } = begin([planStep('gate', 'gate'), planStep('one', 'call', { needs: ['gate'] }), planStep('two', 'call')]);
  feed({ is: 'start' });
  state.sources = { 'a.csv': { sha256: text, bytes: 1, rows: 1 } };
  expect(feed({ is: 'decide', decision: { step: 'gate', approve: true, who: 'ada', note: '' } })).toEqual([]);
  expect(later({ is: 'ended', key: 'two/main', result: null }).map(({ key }) => key)).toEqual(['one/main']);
});
