import { expect, test } from 'vitest';
import type { Difference, Settings } from '../../pipelines/budgets/difference.ts';
import { readDesired } from '../../pipelines/budgets/read-desired.ts';
import { sayDifference, sayDifferences, summariseDifferences } from '../../pipelines/budgets/say.ts';

const difference = (from: Settings, to: Settings, more: Partial<Difference> = {}): Difference => ({
  kind: 'changed',
  budget: 'films',
  id: 'b1',
  project: 'p1',
  from,
  to,
  ...more,
});

test('a difference says each field that changes as it is and as it will be, and why; a new budget what it will have', () => {
  const limits = { enabled: true, defaultCents: 500, period: 'weekly' };
  const renewal = { cadence: 'monthly', amountCents: 10_000 };
  const off = { enabled: false, defaultCents: null, period: null };
  expect(
    [
      difference({ amountCents: 100 }, { amountCents: 250 }, { kind: 'funded', because: 'a renewal was due' }),
      difference({ onExhausted: 'block' }, { onExhausted: 'allow' }),
      difference({ renewal: null }, { renewal }),
      difference({ renewal }, { renewal: null }),
      difference({ memberLimits: off }, { memberLimits: limits }, { kind: 'limits' }),
      difference({ memberLimits: limits }, { memberLimits: { ...limits, defaultCents: null, period: null } }),
      difference({}, { amountCents: 100, onExhausted: 'block', renewal, memberLimits: off }, { kind: 'created', id: null }),
    ].map(sayDifference),
  ).toEqual([
    'funded: films: $1.00 → $2.50 (a renewal was due)',
    'changed: films: on exhausted block → on exhausted allow',
    'changed: films: no renewal → $100.00 monthly',
    'changed: films: $100.00 monthly → no renewal',
    'limits: films: limits of members off → limits of members on, default $5.00 weekly',
    'changed: films: limits of members on, default $5.00 weekly → limits of members on, default none',
    'created: films: $1.00, on exhausted block, $100.00 monthly, limits of members off',
  ]);
});

test('of limits of members five are named, and how many more there are', () => {
  const members = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ user: `u${at}`, name: `m${at}`, from: null, to: at * 100 }));
  const five = 'm0 none → $0.00, m1 none → $1.00, m2 none → $2.00, m3 none → $3.00, m4 none → $4.00';
  expect([5, 6, 7].map((count) => sayDifference(difference({}, {}, { kind: 'limits', members: members(count) })))).toEqual([
    `limits: films: ${five}`,
    `limits: films: ${five} and 1 further member`,
    `limits: films: ${five} and 2 further members`,
  ]);
});

test('a result has 200 lines of differences, and how many more there are', () => {
  const many = (count: number) => Array.from({ length: count }, () => difference({ amountCents: 100 }, { amountCents: 200 }));
  expect(sayDifferences(many(200))).toHaveLength(200);
  expect(sayDifferences(many(202)).slice(199)).toEqual([sayDifference(many(1)[0]!), 'and 2 further differences']);
});

test('a summary counts each kind and says where money goes', () => {
  const moved = (from: number, to: number, kind: Difference['kind']) => difference({ amountCents: from }, { amountCents: to }, { kind });
  expect(
    [
      [],
      [moved(100, 300, 'funded'), moved(0, 100, 'created'), moved(0, 200, 'created')],
      [moved(500, 300, 'released'), moved(100, 200, 'funded')],
      [moved(500, 300, 'released'), moved(100, 300, 'funded')],
    ].map(summariseDifferences),
  ).toEqual([
    'no difference',
    '2 created, 1 funded: $5.00 leave the budget of the organization',
    '1 released, 1 funded: $1.00 go back to the organization',
    '1 released, 1 funded',
  ]);
});

test.each([
  [
    'renewal: { cadence: monthly, amountCents: 0 }',
    "3:47: 'budgets[0].renewal.amountCents': a renewal of 0 cents is none; write renewal: null, or at least 1 cent",
  ],
  [
    'memberLimits: { enabled: true, defaultCents: 100, period: null }',
    "3:63: 'budgets[0].memberLimits.period': a default limit of the members of a project needs a period; write period: daily, weekly or monthly",
  ],
  [
    'memberLimits: { enabled: false }\n    members: { ada@example.com: 100 }',
    "4:14: 'budgets[0].members': limits of members that are not enabled limit nobody; write memberLimits: { enabled: true }, or leave members out",
  ],
])('settings that mean nothing are refused with their place and what to write: %s', (settings, says) => {
  expect(readDesired([{ name: 'b.yaml', text: `budgets:\n  - project: films\n    ${settings}\n` }])).toEqual({
    problems: [`b.yaml:${says}`],
  });
});
