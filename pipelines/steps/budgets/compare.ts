import { z } from 'zod';
import { counted } from '../../../text/units.ts';
import { summariseDifferences } from '../../budgets/say.ts';
import { define } from '../../step.ts';
import { long } from '../timeouts.ts';

export const definition = define({
  name: 'budgets.compare',
  summary: 'What differs between budgets as files say they should be and as the service has them; it changes nothing.',
  kind: 'call',
  effect: 'safe',
  operations: [
    'instance.budgets.list',
    'instance.budgets.members',
    'instance.projects.list',
    'instance.projects.get',
    'instance.projects.members',
  ],
  timeouts: long,
  paths: ['desired'],
  lists: ['desired'],
  input: z.strictObject({
    desired: z
      .string()
      .min(1)
      .describe('A YAML, JSON or CSV file of budgets, or a glob of such files: `budgets`, `organization`, `others` (docs/budgets.md).'),
    onDifference: z
      .enum(['report', 'fail'])
      .default('report')
      .describe('`fail`: the step fails where there is a difference, and says which: for runs on a schedule that look for drift.'),
  }),
  output: z.object({
    differences: z.string().describe('The differences for budgets.apply: a file of the run store.'),
    count: z.int(),
    kinds: z.record(z.string(), z.int()).describe('How many are `released`, `changed`, `created`, `funded`, `limits`.'),
    movedCents: z.int().describe('Cents that they take from the budget of the organization; below 0: that they give back.'),
    says: z.array(z.string()).describe('A line for each, for a gate to show.'),
    summary: z.string(),
  }),
  forecast: (_, { table, budgets }) => {
    const found = budgets !== undefined && 'differences' in budgets ? budgets.differences : undefined;
    const problems = budgets !== undefined && 'problems' in budgets ? budgets.problems : undefined;
    const read = { min: 0, max: null, because: 'how many projects and pages of members there are is known when they are read' } as const;
    return {
      does:
        found !== undefined
          ? `compare budgets: ${summariseDifferences(found)}`
          : `compare budgets${table === undefined ? '' : ` of ${counted(table.rows, 'file')}`}${
              problems ? `: fails by ${counted(problems.length, 'mistake')}` : budgets && 'because' in budgets ? `: ${budgets.because}` : ''
            }`,
      calls: [
        { operation: 'instance.budgets.list', min: 1, max: null, because: read.because },
        { operation: 'instance.budgets.members', ...read },
        { operation: 'instance.projects.list', ...read },
        { operation: 'instance.projects.get', ...read },
        { operation: 'instance.projects.members', ...read },
      ],
      ...(found === undefined ? {} : { differences: found }),
      ...(problems === undefined ? {} : { problems }),
      items: found?.length ?? null,
    };
  },
  example: { desired: 'budgets/*.yaml' },
});
