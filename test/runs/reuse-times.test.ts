import { expect, test } from 'vitest';
import type { Plan, PlanStep } from '../../pipelines/plan.ts';
import { inputHash } from '../../pipelines/input-hash.ts';
import { timeOf } from '../../pipelines/window.ts';
import { planReuse } from '../../runs/reuse.ts';
import { planStep } from '../workflows/bare-plan.ts';

const day = { of: 'day', timezone: 'UTC' } as const;
const time = timeOf(Date.parse('2026-11-21T03:00:00Z'), day);

const planOf = (steps: PlanStep[]): Plan => ({
  ...{ version: 1, pipeline: 'p', hash: 'h', cel: '8', params: {}, outputs: {}, sources: [], concurrency: null },
  steps,
  window: day,
});

const verdictOf = (step: PlanStep, done: object): { reused: boolean; why: string } => {
  const plan = planOf([step]);
  const view = {
    run: 'old',
    pipeline: 'p',
    state: 'failed' as const,
    steps: [{ id: step.id, kind: step.kind, use: step.use, needs: [], ...done }],
  };
  const { verdicts } = planReuse({
    plan,
    run: 'new',
    time,
    old: { view: view as never, plan },
    values: {},
    fingerprints: {},
    late: new Set(),
    otherCode: new Set(),
    undone: new Map(),
    rows: new Map(),
  });
  return verdicts[0]!;
};

test('a step that reads the time for which its run is due is reused: the rerun is due at the same time', () => {
  const step = planStep('rows', 'call', { with: { from: '${{ run.window.from }}', at: '${{ run.scheduledAt }}' } });
  const input = { from: time.window!.from, at: time.scheduledAt };
  expect(verdictOf(step, { status: 'done', inputHash: inputHash(step, input, planOf([step]), {}, 'old') })).toMatchObject({ reused: true });
});

test('a step that was skipped for the time of its run is skipped again', () => {
  const step = planStep('rows', 'call', { when: "${{ run.window.from > '2027' }}" });
  expect(verdictOf(step, { status: 'skipped', skipped: { because: 'when' } })).toMatchObject({ reused: true, why: 'skipped again' });
});
