import { expect, test } from 'vitest';
import { renderCompared } from '../../cli/render/compare.ts';
import { createPaint } from '../../cli/render/paint.ts';
import type { ForecastStep } from '../../pipelines/forecast/forecast.ts';
import type { PlannedCalls } from '../../pipelines/step.ts';
import { compare, sentCalls, type Compared } from '../../runs/compare.ts';
import type { RunEvent } from '../../store/run-store.ts';
import type { RunView, StepView } from '../../workflows/messages.ts';

const get = 'maps.projects.get';

/** A loop `each` with one step in it, of this kind, whose loop ended so. */
function held(
  kind: 'call' | 'pipeline',
  loop: NonNullable<StepView['loop']>,
  { calls = [], sent = [], kinds = [] }: { calls?: PlannedCalls[]; sent?: [string, number][]; kinds?: string[] } = {},
): Compared {
  const each: StepView = { id: 'each', use: 'loop', kind: 'loop', status: loop.failed > 0 ? 'failed' : 'done', needs: [], loop };
  const view: RunView = { run: 'a-1', pipeline: 'a', state: 'done', steps: [each] };
  const planned = (id: string, use: string, of: PlannedCalls[]): ForecastStep => ({
    id,
    use,
    does: '',
    calls: of,
    writing: [0, 0],
    reads: [0, 0],
    limits: [],
  });
  const steps = [planned('each', 'loop', []), planned('load', './lib/load.yaml', calls)];
  const events = sent.map(([step, count]): RunEvent => ({ at: '', step, kind: 'calls', cause: 'sent', calls: { [get]: count } }));
  const irreversible = kinds.map((act) => ({ step: 'load', kind: act, most: 3, says: act }));
  const plan = [{ id: 'each', kind: 'loop' } as const, { id: 'load', kind, in: 'each' } as const];
  return compare({ steps, irreversible }, { view, sent: sentCalls(events), counts: [], plan });
}

const shown = (found: Compared): string => renderCompared(found, { columns: Infinity, paint: createPaint(false) });
const three = { items: 3, done: 3, failed: 0, failures: [] };

test('a loop of pipelines is not waiting when it is over: its turns are runs of their own, and nothing is called within the plan', () => {
  const found = held('pipeline', three, { calls: [{ operation: get, min: 3, max: 6 }] });
  expect(found.steps[1]).toEqual({
    id: 'load',
    use: './lib/load.yaml',
    status: 'done',
    runs: true,
    turns: { of: 'each', done: 3, failed: 0, items: 3 },
    calls: [],
  });
  expect(shown(found)).toContain('3 of 3 turns of each done, each a run of its own, not compared here');
  expect(shown(found)).toContain('portolan runs --children');
  expect(shown(found)).toContain('nothing was compared');
  expect(shown(found)).not.toMatch(/waiting|within the plan/);
  const failed = held('pipeline', { items: 3, done: 2, failed: 1, failures: [] });
  expect(shown(failed)).toContain('failed, 2 of 3 turns of each done, 1 failed, each a run of its own');
});

test('what all turns of a loop have sent, and done, is held against the plan', () => {
  const sent: [string, number][] = [
    ['each[0].load', 2],
    ['each[1].load', 2],
    ['each[2].load', 3],
  ];
  const within = held('call', three, { calls: [{ operation: get, min: 3, max: 9 }], sent, kinds: ['charge'] });
  expect(within.steps[1]!.calls).toEqual([{ operation: get, min: 3, max: 9, sent: 7, is: 'within' }]);
  expect(within.acts).toMatchObject([{ done: 3, is: 'within' }]);
  expect(shown(within)).toContain('all of 2 numbers within the plan');
  const more = held('call', three, { calls: [{ operation: get, min: 3, max: 6 }], sent });
  expect([more.outside, more.steps[1]!.calls[0]!.is]).toEqual([1, 'more']);
  // Turns may have taken over what another run has done.
  expect(held('call', three, { calls: [{ operation: get, min: 9, max: 9 }], sent }).outside).toBe(0);
});
