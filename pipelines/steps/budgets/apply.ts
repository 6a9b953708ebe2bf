import { z } from 'zod';
import { counted } from '../../../text/units.ts';
import { define, type PlannedCalls } from '../../step.ts';
import { long } from '../timeouts.ts';

export const definition = define({
  name: 'budgets.apply',
  summary:
    'Settle differences of budgets, each by one call that is carried out whole or not at all: what gives money back first; then read back.',
  kind: 'sweep',
  effect: 'reconcile',
  operations: [
    'instance.budgets.create',
    'instance.budgets.update',
    'instance.budgets.setMembers',
    'instance.budgets.list',
    'instance.budgets.get',
    'instance.budgets.members',
  ],
  timeouts: long,
  window: 1,
  input: z.strictObject({
    differences: z.string().min(1).describe('What budgets.compare has found: `${{ steps.compare.differences }}`.'),
  }),
  output: z.object({
    count: z.int(),
    applied: z.int().describe('Differences that this run has settled.'),
    present: z.int().describe('Differences that were settled already when their turn came.'),
  }),
  forecast: (_, { items }) => {
    const most = items ?? null;
    const calls = (operation: PlannedCalls['operation']): PlannedCalls =>
      most === null
        ? { operation, min: 0, max: null, because: 'how many differences there are is known when they are compared' }
        : { operation, min: 0, max: most };
    const reads = (operation: PlannedCalls['operation']): PlannedCalls => ({
      operation,
      min: 0,
      max: null,
      because: 'each budget is read before and after it is changed',
    });
    return {
      does: `settle ${items === null || items === undefined ? 'the differences' : counted(items, 'difference')}: each whole or not at all, what gives money back first`,
      calls: [
        calls('instance.budgets.create'),
        calls('instance.budgets.update'),
        calls('instance.budgets.setMembers'),
        reads('instance.budgets.list'),
        reads('instance.budgets.get'),
        reads('instance.budgets.members'),
      ],
    };
  },
  example: { differences: '${{ steps.compare.differences }}' },
});
