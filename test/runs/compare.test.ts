import { expect, test } from 'vitest';
import { renderCompared } from '../../cli/render/compare.ts';
import { createPaint } from '../../cli/render/paint.ts';
import { compare, sentCalls } from '../../runs/compare.ts';
import { planned } from '../../runs/report/planned.ts';
import type { PlannedAct } from '../../pipelines/forecast/forecast.ts';
import type { PlannedCalls } from '../../pipelines/step.ts';
import type { RunEvent } from '../../store/run-store.ts';
import type { RunView, StepView } from '../../workflows/messages.ts';

const step = (id: string, more: Partial<StepView> = {}): StepView => ({
  id,
  use: `acme.${id}`,
  kind: 'call',
  status: 'done',
  needs: [],
  ...more,
});
const calls = (name: string, of: Record<string, number>): RunEvent => ({ at: '', step: name, kind: 'calls', cause: 'sent', calls: of });
const act = (name: string, kind: string, most: number | null): PlannedAct => ({ step: name, kind, most, says: kind });
const get = 'maps.projects.get';

const compared = (
  plan: Record<string, PlannedCalls[]>,
  steps: StepView[],
  events: RunEvent[],
  acts: PlannedAct[] = [],
  counts: { step: string; status: string; count: number }[] = [],
) => {
  const view: RunView = { run: 'a-1', pipeline: 'a', state: 'done', steps };
  const forecastSteps = Object.entries(plan).map(([id, of]) => ({
    id,
    use: `acme.${id}`,
    does: '',
    calls: of,
    writing: [0, 0] as [number, number],
    reads: [0, 0] as [number, number],
    limits: [],
  }));
  return compare({ steps: forecastSteps, irreversible: acts }, { view, sent: sentCalls(events), counts });
};

test.each([
  ['as many as planned', 3, 'within', 0],
  ['the least', 2, 'within', 0],
  ['one more', 5, 'more', 1],
  ['one fewer', 1, 'fewer', 1],
] as const)('%s: %i of 2 to 4', (_, sent, is, outside) => {
  const found = compared({ look: [{ operation: get, min: 2, max: 4 }] }, [step('look')], [calls('look', { [get]: sent })]);
  expect(found.steps[0]!.calls).toEqual([{ operation: get, min: 2, max: 4, sent, is }]);
  expect(found.outside).toBe(outside);
});

test('what attempts and workers have sent is added up, and what nobody has planned is outside', () => {
  const found = compared(
    { look: [{ operation: get, min: 0, max: 4 }] },
    [step('look')],
    [calls('look', { [get]: 1 }), calls('other', { [get]: 9 }), calls('look', { [get]: 2, 'maps.user.get': 1 })],
  );
  expect(found.steps[0]!.calls.map(({ operation, sent, is }) => [operation, sent, is])).toEqual([
    [get, 3, 'within'],
    ['maps.user.get', 1, 'more'],
  ]);
});

test('a step that was not done here has sent no less than planned', () => {
  const plan = { one: [{ operation: get, min: 2, max: 2 } as const], two: [{ operation: get, min: 2, max: 2 } as const] };
  const found = compared(plan, [step('one', { reusedFrom: 'a-0' }), step('two', { status: 'failed' })], []);
  expect(found.outside).toBe(0);
  expect(found.steps.map(({ status, reusedFrom }) => [status, reusedFrom])).toEqual([
    ['done', 'a-0'],
    ['failed', undefined],
  ]);
});

test('acts that cannot be taken back are counted by the fates of items, by requests, or by a step that ended well', () => {
  const sweep = (id: string, more: Partial<StepView> = {}): StepView => step(id, { kind: 'sweep', ...more });
  const counts = [
    { step: 'gone', status: 'deleted', count: 40 },
    { step: 'rows', status: 'added', count: 7 },
    { step: 'rows', status: 'replaced', count: 3 },
    { step: 'pay', status: 'done', count: 28 },
    { step: 'pay', status: 'unknown', count: 2 },
    { step: 'pay', status: 'failed', count: 5 },
  ];
  const acts = [
    act('gone', 'rows deleted', 39),
    act('rows', 'rows replaced', 10),
    act('pay', 'charge', 30),
    act('mail', 'mail', 1),
    act('late', 'mail', 1),
    act('drop', 'maps.projects.remove', 1),
    act('again', 'charge', 30),
  ];
  const steps = [
    sweep('gone'),
    sweep('rows'),
    sweep('pay'),
    step('mail'),
    step('late', { status: 'failed' }),
    step('drop'),
    sweep('again', { reusedFrom: 'a-0' }),
  ];
  const found = compared({}, steps, [calls('drop', { 'maps.projects.remove': 1 })], acts, counts);
  expect(found.acts.map(({ step: of, done, is }) => [of, done, is])).toEqual([
    ['gone', 40, 'more'],
    ['rows', 3, 'within'],
    ['pay', 30, 'within'],
    ['mail', 1, 'within'],
    ['late', 0, 'within'],
    ['drop', 1, 'within'],
    ['again', 0, 'within'],
  ]);
  expect(found.outside).toBe(1);
});

test('the table and the page say in words what is outside the plan, and why nothing was known', () => {
  const found = compared(
    {
      look: [
        { operation: get, min: 0, max: 1 },
        { operation: 'maps.user.get', min: 1, max: null, because: 'its <code> decides' },
      ],
    },
    [step('look')],
    [calls('look', { [get]: 2, 'maps.user.get': 7 })],
    [act('look', 'charge', 0)],
  );
  expect(`\n${renderCompared(found, { columns: Infinity, paint: createPaint(false) })}`).toMatchInlineSnapshot(`
    "
    a-1  done: planned against sent
      step                      planned  sent
      look
        maps.projects.get           0–1     2  more than planned
        maps.user.get      ≥ 1, unknown     7
    cannot be taken back
                      planned  done
        look: charge      ≤ 0     1  more than planned
    2 of 3 numbers outside the plan
    "
  `);
  const page = planned(found);
  expect(page).toContain('<h2>Planned against sent</h2>');
  expect(page).toContain('more than planned');
  expect(page).toContain('its &lt;code&gt; decides');
  expect(planned(undefined)).toBe('');
});
