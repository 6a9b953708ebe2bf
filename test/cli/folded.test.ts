import { expect, test } from 'vitest';
import { foldedSteps } from '../../cli/render/folded.ts';
import type { StepStatus, StepView } from '../../workflows/messages.ts';

const step = (id: string, status: StepStatus, turn?: StepView['turn']): StepView => ({
  id,
  use: 'x',
  kind: id.endsWith('each') ? 'loop' : 'call',
  status,
  needs: [],
  ...(turn && { turn }),
});
const turns = (count: number): StepView[] =>
  Array.from({ length: count }, (_, index) => [
    step(`each[${index}].read`, 'done', { of: 'each', index }),
    step(`each[${index}].ask`, index === 0 ? 'approval' : 'running', { of: 'each', index }),
    step(`each[${index}].last`, 'waiting', { of: 'each', index }),
  ]).flat();
const shown = (steps: StepView[]): string[] => foldedSteps(steps).map((line) => ('name' in line ? line.name : `${line.more} more`));

test('of the turns of a loop what is under way stands below it, as far as it fits into four lines', () => {
  const around = (inner: StepView[]): StepView[] => [step('list', 'done'), step('each', 'running'), ...inner, step('after', 'waiting')];
  expect(shown(around(turns(2)))).toEqual(['list', 'each', '  [0].ask', '  [1].ask', 'after']);
  expect(shown(around(turns(4)))).toHaveLength(7);
  expect(shown(around(turns(9)))).toEqual(['list', 'each', '  [0].ask', '  [1].ask', '  [2].ask', '6 more', 'after']);
});

test('a loop in a loop is named by its turns', () => {
  const inner = [
    step('out[3].each', 'running', { of: 'out', index: 3 }),
    step('out[3].each[7].ask', 'running', { of: 'out[3].each', index: 7 }),
  ];
  expect(shown([step('out', 'running'), ...inner])).toEqual(['out', '  [3].each[7].ask']);
});
