import { expect, test } from 'vitest';
import { celVersion } from '../../pipelines/expressions/environment.ts';
import { isKept } from '../../pipelines/kept.ts';
import type { Plan } from '../../pipelines/plan.ts';
import type { Json } from '../../text/json.ts';
import { initialState, type StepState } from '../../workflows/interpreter/state.ts';
import { lighten } from '../../workflows/lighten.ts';

const plan: Plan = {
  ...{ version: 1, pipeline: 'p', hash: 'h', cel: celVersion, params: {}, steps: [], outputs: {}, sources: [], concurrency: null },
};
const kept = (value: Json): Json => ({ $kept: 'file:///runs/r1/values/x.json', sha256: 'x', bytes: JSON.stringify(value).length });

const never = (): never => expect.unreachable();

function stateOf(turns: number, text: string) {
  const state = initialState(plan);
  const ended = (): StepState => ({ status: 'done', input: { text, n: 1 }, output: { text, n: 2 } });
  for (let turn = 0; turn < turns; turn++) state.steps[`each[${turn}].a`] = ended();
  state.steps['short'] = { status: 'done', input: 'a', output: 'b' };
  state.steps['running'] = { status: 'running', input: { text } };
  return state;
}

test('a state that is too long to be handed on has what ended steps were given and gave in the run store, part by part', async () => {
  const state = stateOf(800, 'lorem ipsum '.repeat(300));
  const parts: Json[][] = [];
  const keep = async (values: Json[], batch: number): Promise<Json[]> => {
    expect(batch).toBe(parts.length);
    parts.push(values);
    return values.map(kept);
  };
  await lighten(state, plan, { keep, collect: never });
  expect(JSON.stringify(state).length).toBeLessThan(1_000_000);
  for (const values of parts) expect(JSON.stringify(values).length).toBeLessThan(510_000);
  expect(parts.flat()).toHaveLength(1_600);
  // Each in its own place.
  expect(parts.flat().map((value) => (value as { n: number }).n)).toEqual(Array.from({ length: 1_600 }, (_, at) => 1 + (at % 2)));
  const { input, output } = state.steps['each[799].a']!;
  expect([isKept(input), isKept(output)]).toEqual([true, true]);
  // What a step still works with, and what is short, stays.
  expect(state.steps['running']!.input).toEqual({ text: 'lorem ipsum '.repeat(300) });
  expect(state.steps['short']).toMatchObject({ input: 'a', output: 'b' });
});

test('the server counts bytes: a state of other characters is too long sooner', async () => {
  const state = stateOf(100, '你好'.repeat(1_700));
  let parts = 0;
  await lighten(state, plan, { keep: async (values) => (parts++, values.map(kept)), collect: never });
  expect(parts).toBeGreaterThan(0);
  expect(Buffer.byteLength(JSON.stringify(state))).toBeLessThan(1_000_000);
});

test('a state that is short enough is handed on as it is', async () => {
  const state = stateOf(100, 'lorem ipsum '.repeat(300));
  const before = structuredClone(state);
  await lighten(state, plan, { keep: never, collect: never });
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
  await lighten(state, plan, {
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
  // What could not be kept stays to be tried again.
  expect(state.steps['bad'].loop).toEqual({ ...loop, rows: rows.slice(0, 1) });
});
