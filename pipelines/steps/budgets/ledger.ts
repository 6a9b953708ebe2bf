import { z } from 'zod';
import { define, type PlannedCalls } from '../../step.ts';
import { source } from '../source.ts';
import { long } from '../timeouts.ts';

/** Runs of a chunk: one activity reads so many usages. */
export const runsInChunk = 100;

export const definition = define({
  name: 'budgets.ledger',
  summary: 'Account for every cent that budgets say was spent: by run, model, member and rounding; what nothing accounts for is a finding.',
  kind: 'sweep',
  effect: 'safe',
  operations: ['instance.agents.list', 'instance.agents.get', 'instance.agents.usage', 'instance.budgets.list', 'instance.budgets.members'],
  timeouts: long,
  window: 4,
  paths: ['runs'],
  input: z.strictObject({
    caller: z
      .string()
      .optional()
      .describe(
        'The user whose key the connection has, by email or id: the agents that the API lists are those of that user. Empty: nobody says.',
      ),
    runs: source
      .optional()
      .describe(
        'Agents of other users, which a key for analytics can read: a table with the columns agent (id) and member (email or id); all that the members have launched.',
      ),
    onUnexplained: z
      .enum(['fail', 'report'])
      .default('fail')
      .describe('`report`: cents that nothing accounts for are told, and the step goes on.'),
  }),
  output: z.object({
    budgets: z.int(),
    runs: z.int(),
    spentCents: z.int().describe('What all budgets say was spent.'),
    unexplainedCents: z.int().describe('Cents that nothing accounts for, too many or too few.'),
    findings: z.array(z.string()).describe('A line for each of them.'),
    says: z.array(z.string()).describe('A line for each budget.'),
    results: z
      .string()
      .describe(
        'A table: budget, kind (`run`, `model`, `moved`, `split`, `member`, `under way`, `unexplained`, `of member`), run, model, member, usd, cents, rounding, says. The cents of a budget add up to what it says was spent.',
      ),
  }),
  forecast: () => {
    const unknown = (operation: PlannedCalls['operation'], because: string): PlannedCalls => ({ operation, min: 0, max: null, because });
    const runs = 'how many agents there are is known when they are listed';
    return {
      does: 'account for every cent that was spent: by run, model, member and rounding',
      calls: [
        { operation: 'instance.agents.list', min: 1, max: null, because: runs },
        unknown('instance.agents.get', runs),
        unknown('instance.agents.usage', runs),
        { operation: 'instance.budgets.list', min: 1, max: null, because: 'how many projects have agents is known when they are listed' },
        unknown('instance.budgets.members', 'how many pages of members there are is known when they are read'),
      ],
      items: null,
    };
  },
  example: { caller: 'ada@example.com' },
});
