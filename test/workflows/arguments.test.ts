import { expect, test } from 'vitest';
import { argumentsOf } from '../../workflows/interpreter/arguments.ts';
import { initialState, type StepState, type World } from '../../workflows/interpreter/state.ts';
import { barePlan, bareRun, planStep } from './bare-plan.ts';

const plan = barePlan([planStep('rows', 'sweep')]);
const world: World = { plan, run: bareRun, now: 1_000 };
const chunk = { do: 'activity', key: 'rows/chunk/3', step: 'rows', phase: 'chunk', chunk: 3 } as const;

const sent = (more: Partial<StepState>) => {
  const state = initialState(plan);
  state.steps['rows'] = { status: 'running', ...more };
  return argumentsOf(chunk, state, world);
};

test('what is sent again is called otherwise than before, be it for a retry of its step or because it was given up', () => {
  const sweep = { chunks: 9, next: 4, acknowledged: 2, items: 20, state: { at: 7 } };
  const retries = { begun: 2, of: 3, error: { type: 'Refused', message: 'no' } };
  expect(sent({ sweep, input: { n: 1 } })).toEqual({
    run: world.run,
    step: { id: 'rows', use: 'x.rows', connections: {} },
    input: { n: 1 },
    sources: {},
    chunk: 3,
    state: { at: 7 },
  });
  expect(sent({ sweep, retries })).toMatchObject({ step: { retry: 2 } });
  expect(sent({ sweep: { ...sweep, stopped: 1 } })).toMatchObject({ step: { retry: 1 } });
  expect(sent({ sweep: { ...sweep, stopped: 1 }, retries })).toMatchObject({ step: { retry: 3 } });
});
