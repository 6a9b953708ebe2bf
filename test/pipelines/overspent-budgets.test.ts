import { expect, test } from 'vitest';
import type { BudgetsThere, BudgetThere } from '../../client/budgets-there.ts';
import { differencesOf } from '../../pipelines/budgets/differences.ts';

const budget = (name: string, amountCents: number, spentCents = 0): BudgetThere => ({
  id: `budget of ${name}`,
  at: 0,
  name,
  amountCents,
  spentCents,
  onExhausted: 'block',
  renewal: null,
  memberLimits: { enabled: false, defaultCents: null, period: null, resetsAt: null },
});

/** An organization that has spent 5 cents more than it has, and projects that have 10 cents each. */
const there: BudgetsThere = {
  organization: budget('organization', 100, 105),
  projects: new Map(['a', 'b'].map((name) => [name, { id: `id of ${name}`, name, budget: budget(name, 10) }])),
  ambiguous: new Map(),
  others: [],
};

const compared = (amounts: Record<string, number>) =>
  differencesOf(
    {
      others: 'keep',
      organization: undefined,
      budgets: Object.entries(amounts).map(([project, amountCents]) => ({ project, amountCents })),
    },
    there,
    new Map(),
  );

test('budgets that take nothing from an overspent organization are as they should be, or give back', () => {
  expect(compared({ a: 10, b: 10 })).toEqual({ differences: [] });
  expect(compared({ a: 7, b: 10 })).toMatchObject({ differences: [{ kind: 'released', budget: 'a' }] });
  expect(compared({ a: 4, b: 11 })).toMatchObject({ differences: [{ kind: 'released' }, { kind: 'funded' }] });
});

test('what is given back counts before what is taken, and what is missing is said', () => {
  expect(compared({ a: 7, b: 13 })).toEqual({
    problems: [
      'the budget of the organization has -5 cents left, these budgets give 3 back and take 3 (insufficient_funds); lower amountCents of one by 3',
    ],
  });
  expect(compared({ a: 4, b: 13 })).toEqual({
    problems: [expect.stringMatching(/give 6 back and take 3 .*; lower amountCents of one by 2$/)],
  });
});
