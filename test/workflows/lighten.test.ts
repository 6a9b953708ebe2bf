import { expect, test } from 'vitest';
import { isKept } from '../../pipelines/kept.ts';
import type { Json } from '../../text/json.ts';
import { initialState, type StepState } from '../../workflows/interpreter/state.ts';
import { lighten } from '../../workflows/lighten.ts';
import { barePlan } from './bare-plan.ts';

const plan = barePlan([]);
const kept = (value: Json): Json => ({ $kept: 'file:///runs/r1/values/x.json', sha256: 'x', bytes: JSON.stringify(value).length });

const never = (): never => expect.unreachable();

function stateOf(turns: number, text: string) {
  const state = initialState(plan);
  const ended = (turn: number): StepState => ({ status: 'done', input: { text }, output: { text, n: turn } });
  for (let turn = 0; turn < turns; turn++) state.steps[`each[${turn}].a`] = ended(turn);
  state.steps['short'] = { status: 'done', input: 'a', output: 'b' };
  state.steps['running'] = { status: 'running', input: { text } };
  return state;
}

test('a state that is too long to be handed on has what ended steps gave in the run store, part by part, and forgets what they were given', async () => {
  const state = stateOf(800, 'lorem ipsum '.repeat(300));
  const parts: Json[][] = [];
  const keep = async (values: Json[], batch: number): Promise<Json[]> => {
    expect(batch).toBe(parts.length);
    parts.push(values);
    return values.map(kept);
  };
  await lighten(state, [plan, state], { keep, collect: never });
  expect(JSON.stringify(state).length).toBeLessThan(1_000_000);
  for (const values of parts) expect(JSON.stringify(values).length).toBeLessThan(510_000);
  // Each in its own place.
  expect(parts.flat().map((value) => (value as { n: number }).n)).toEqual(Array.from({ length: 800 }, (_, turn) => turn));
  const { input, output } = state.steps['each[799].a']!;
  expect([input, isKept(output)]).toEqual([undefined, true]);
  // What a step still works with, and what is short, stays.
  expect(state.steps['running']!.input).toEqual({ text: 'lorem ipsum '.repeat(300) });
  expect(state.steps['short']).toEqual({ status: 'done', output: 'b' });
});

test('the server counts bytes: a state of other characters is too long sooner', async () => {
  const state = stateOf(60, '你好'.repeat(1_700));
  expect(JSON.stringify(state).length).toBeLessThan(1_000_000);
  let parts = 0;
  await lighten(state, state, { keep: async (values) => (parts++, values.map(kept)), collect: never });
  expect(parts).toBeGreaterThan(0);
  expect(Buffer.byteLength(JSON.stringify(state))).toBeLessThan(1_000_000);
});

test('a state that is short enough is handed on as it is', async () => {
  const state = stateOf(100, 'lorem ipsum '.repeat(300));
  const before = structuredClone(state);
  await lighten(state, [plan, state], { keep: never, collect: never });
  expect(state).toEqual(before);
});

test('rows of loops that wait go into the run store, and items that no turn has begun with are read again', async () => {
  const state = initialState(plan);
  const rows = Array.from({ length: 150 }, (_, turn) => ({ turn, row: { text: 'lorem ipsum '.repeat(600) } }));
  const page = { from: 150, items: ['a', 'b'] };
  const loop = { next: 150, open: {}, done: 150, failed: 0, failures: [], rows, page, batches: 2 };
  state.steps['each'] = { status: 'running', input: kept([]), loop: structuredClone(loop) };
  state.steps['bad'] = { status: 'running', input: { items: ['a'] }, loop: { ...structuredClone(loop), rows: rows.slice(0, 1) } };
  const collected: { step: string; batch: number; turns: number[] }[] = [];
  state.steps['left'] = { status: 'cancelled', loop: { ...structuredClone(loop), rows: rows.slice(0, 1) } };
  await lighten(state, state, {
    keep: never,
    collect: async ({ step, batch, rows: some }) => {
      if (step === 'bad') return false;
      expect(JSON.stringify(some).length).toBeLessThan(510_000);
      collected.push({ step, batch, turns: some.map(({ turn }) => turn) });
      return true;
    },
  });
  expect(collected.map(({ step, batch }) => [step, batch])).toEqual(collected.map((_, at) => ['each', 2 + at]));
  expect(collected.flatMap(({ turns }) => turns)).toEqual(rows.map(({ turn }) => turn));
  expect(state.steps['each'].loop).toEqual({ ...loop, rows: [], page: undefined, batches: 2 + collected.length });
  expect(state.steps['left'].loop!.rows).toEqual([]);
  // What could not be kept stays to be tried again.
  expect(state.steps['bad'].loop).toEqual({ ...loop, rows: rows.slice(0, 1) });
});

test('what gates show goes into the run store, open or decided, and who is asked stays', async () => {
  const state = initialState(plan);
  const show = 'lorem ipsum '.repeat(300);
  const gate = (status: StepState['status']): StepState => ({ status, expiresAt: 1, input: { show, who: 'ada' } });
  for (let at = 0; at < 600; at++) state.steps[`ask${at}`] = gate(at % 2 === 0 ? 'approval' : 'done');
  await lighten(state, state, { keep: async (values) => values.map(kept), collect: never });
  for (const at of [0, 1]) expect(state.steps[`ask${at}`]!.input).toEqual({ show: kept(show), who: 'ada' });
});
