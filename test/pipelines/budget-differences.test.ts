import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BudgetsThere, BudgetThere } from '../../client/budgets-there.ts';
import type { Desired, DesiredBudget } from '../../pipelines/budgets/desired.ts';
import { differencesOf, movedBy } from '../../pipelines/budgets/differences.ts';
import type { Difference } from '../../pipelines/budgets/difference.ts';
import { periodsBegun, type Period } from '../../contracts/instance/periods.ts';
import { readDesired } from '../../pipelines/budgets/read-desired.ts';
import type { AmountSeen } from '../../pipelines/budgets/renewed.ts';
import { sayDifferences, summariseDifferences } from '../../pipelines/budgets/say.ts';

const there = (name: string, amountCents: number, more: Partial<BudgetThere> = {}): BudgetThere => ({
  id: `budget of ${name}`,
  at: 0,
  name,
  amountCents,
  spentCents: 0,
  onExhausted: 'block',
  renewal: null,
  memberLimits: { enabled: false, defaultCents: null, period: null, resetsAt: null },
  ...more,
});
const world = (organization: BudgetThere, budgets: (BudgetThere | string)[], others: BudgetThere[] = []): BudgetsThere => ({
  organization,
  projects: new Map(
    budgets.map((each) => {
      const name = typeof each === 'string' ? each : each.name;
      return [name, { id: `id of ${name}`, name, ...(typeof each === 'string' ? {} : { budget: each }) }];
    }),
  ),
  ambiguous: new Map(),
  others,
});
const wanted = (budgets: DesiredBudget[], more: Partial<Desired> = {}): Desired => ({
  others: 'keep',
  organization: undefined,
  budgets,
  ...more,
});
const found = (desired: Desired, is: BudgetsThere, seen?: AmountSeen): Difference[] => {
  const compared = differencesOf(desired, is, new Map(seen && [['budget of p', seen]]));
  if ('problems' in compared) throw new Error(compared.problems.join('; '));
  return compared.differences;
};
const problems = (desired: Desired, is: BudgetsThere): string[] => {
  const compared = differencesOf(desired, is, new Map());
  return 'problems' in compared ? compared.problems : [];
};
const organization = (left: number): BudgetThere => there('organization', left);

test('an amount that is left out stays as it is; a project without a budget needs one', () => {
  const desired = wanted([{ project: 'p', onExhausted: 'notify' }]);
  expect(found(desired, world(organization(9), [there('p', 5)]))).toMatchObject([{ kind: 'changed', to: { onExhausted: 'notify' } }]);
  expect(problems(desired, world(organization(9), ['p']))).toEqual([
    expect.stringMatching(/^project p: has no budget yet, .*; write amountCents$/),
  ]);
});

test('in their order no difference asks the organization for what it has not, whatever is moved where', () => {
  const amounts = fc.array(fc.record({ is: fc.option(fc.nat(1_000)), to: fc.nat(1_000) }), { maxLength: 8 });
  fc.assert(
    fc.property(amounts, fc.nat(2_000), (budgets, left) => {
      const is = world(
        organization(left),
        budgets.map(({ is: amount }, at) => (amount === null ? `p${at}` : there(`p${at}`, amount))),
      );
      const desired = wanted(budgets.map(({ to }, at) => ({ project: `p${at}`, amountCents: to })));
      const needed = budgets.reduce((sum, { is: amount, to }) => sum + to - (amount ?? 0), 0);
      if (needed > left) {
        expect(problems(desired, is)).toEqual([expect.stringContaining(`lower amountCents of one by ${needed - left}`)]);
        return;
      }
      let rest = left;
      for (const each of found(desired, is)) {
        rest -= movedBy(each);
        expect(rest).toBeGreaterThanOrEqual(0);
      }
      expect(rest).toBe(left - needed);
    }),
    // All that is left, and a cent more.
    { examples: [10, 11].map((to): [{ is: null; to: number }[], number] => [[{ is: null, to }], 10]) },
  );
});

test('what renewals that were due have added is no difference; what was added otherwise, or is more, is one', () => {
  const renewal = { cadence: 'weekly', amountCents: 100 } as const;
  // A Friday, and the Wednesday nearly three weeks later: three Mondays.
  const [set, at] = [Date.UTC(2026, 0, 2, 12), Date.UTC(2026, 0, 21, 12)];
  const seen = { amountCents: 500, at: set };
  const compared = (
    amountCents: number,
    desired: Partial<DesiredBudget> = { renewal },
    known: AmountSeen | null = seen,
    more: object = {},
  ) =>
    found(
      wanted([{ project: 'p', amountCents: 500, ...desired }]),
      world(organization(10_000), [there('p', amountCents, { renewal, at, ...more })]),
      known ?? undefined,
    );
  const kinds = (...given: Parameters<typeof compared>): string[] => compared(...given).map(({ kind }) => kind);
  expect([500, 600, 800].map((cents) => kinds(cents))).toEqual([[], [], []]);
  expect([kinds(800, {}), kinds(650), kinds(400)]).toEqual([[], ['released'], ['funded']]);
  expect(kinds(700, { renewal: null }), 'the renewal ends').toEqual(['released']);
  expect(sayDifferences(compared(900))).toEqual([
    'released: p: $9.00 → $5.00 (4 renewals more, and 3 were due since 2026-01-02T12:00:00Z: to keep what is there, write amountCents: 900)',
  ]);
  expect(sayDifferences(compared(600, {}, { amountCents: 500, at }))).toEqual([
    expect.stringContaining('(1 renewal more, and none was due since'),
  ]);
  // Nobody knows since when.
  expect(sayDifferences(compared(600, {}, null))).toEqual([
    'released: p: $6.00 → $5.00 (1 renewal more; the run store does not know when the amount was the named one: to keep what is there, write amountCents: 600)',
  ]);
  const yearly = { cadence: 'yearly', amountCents: 100 };
  expect(sayDifferences(compared(600, {}, seen, { renewal: yearly }))).toEqual([
    expect.stringContaining('when yearly ones are due is not known'),
  ]);
  // The file names less than before.
  expect(sayDifferences(compared(800, { amountCents: 400 }))).toEqual(['released: p: $8.00 → $4.00']);
});

test('periods begin with UTC days, Mondays and months: those between two times are counted', () => {
  const at = (text: string): number => Date.parse(`${text}:00Z`);
  const begun = (period: Period) => (from: string, to: string) => periodsBegun(period, at(from), at(to));
  expect([begun('daily')('2026-02-27T23:59', '2026-03-02T00:00'), begun('daily')('2026-03-02T00:00', '2026-03-02T23:59')]).toEqual([3, 0]);
  expect([begun('weekly')('2026-01-04T23:59', '2026-01-05T00:00'), begun('weekly')('2026-01-05T00:00', '2026-01-11T23:59')]).toEqual([
    1, 0,
  ]);
  expect([begun('monthly')('2025-12-31T23:59', '2026-03-01T00:00'), begun('monthly')('2026-03-01T00:00', '2026-02-01T00:00')]).toEqual([
    3, 0,
  ]);
});

test('budgets that no file names are left alone, or give back what is not spent; nothing is asked below what is spent', () => {
  const other = there('other', 900, { spentCents: 300, renewal: { cadence: 'daily', amountCents: 5 } });
  const is = world(organization(0), [there('p', 500, { spentCents: 400 })], [other]);
  expect(found(wanted([]), is)).toEqual([]);
  const released = found(wanted([], { others: 'release' }), is);
  expect([summariseDifferences(released), sayDifferences(released)]).toEqual([
    '1 released: $6.00 go back to the organization',
    ['released: other: $9.00 → $3.00, $0.05 daily → no renewal'],
  ]);
  expect(problems(wanted([{ project: 'p', amountCents: 399 }]), is)).toEqual([
    'p: amountCents 399 is below the 400 cents that are spent; write at least 400',
  ]);
});

test('what is left out stays: a difference holds the fields that differ, and limits of members that are not named go', () => {
  const memberLimits = { enabled: true, defaultCents: 70, period: 'daily', resetsAt: null };
  const members = [
    { id: 'a', email: 'Ada@example.com', limitCents: null, spentCents: 0 },
    { id: 'b', email: 'bob@example.com', limitCents: 30, spentCents: 0 },
    { id: 'c', email: null, limitCents: 40, spentCents: 0 },
  ];
  const is = world(organization(0), [there('p', 500, { memberLimits, members, renewal: { cadence: 'daily', amountCents: 9 } })]);
  const of = (more: Partial<DesiredBudget>) => found(wanted([{ project: 'p', amountCents: 500, ...more }]), is);
  expect(of({ memberLimits: { defaultCents: 80 } })).toMatchObject([
    {
      kind: 'changed',
      from: { memberLimits: { enabled: true, defaultCents: 70, period: 'daily' } },
      to: { memberLimits: { enabled: true, defaultCents: 80, period: 'daily' } },
    },
  ]);
  expect(sayDifferences(of({ members: { 'ada@example.com': 20, c: 40 } }))).toEqual([
    'limits: p: Ada@example.com none → $0.20, bob@example.com $0.30 → none',
  ]);
  expect(of({})).toEqual([]);
});

test('files say together what should be: what two of them say, and a name that two projects have, is refused with its place', () => {
  const read = readDesired([
    { name: 'a.yaml', text: 'others: keep\nbudgets: [{ project: p, amountCents: 5 }]\n' },
    { name: 'b.yaml', text: 'others: release\nbudgets:\n  - project: p\n    amountCents: 6\n' },
  ]);
  expect(read).toEqual({
    problems: [
      'b.yaml: others is said in a.yaml already; say it once',
      expect.stringMatching(/^b\.yaml:3:14: budgets\[0\]\.project: the budget of project p is said in a\.yaml:2:.* already; say it once$/),
    ],
  });
  const ambiguous = new Map([['p', ['1', '2']]]);
  expect(problems(wanted([{ project: 'p', amountCents: 5 }]), { ...world(organization(9), []), ambiguous })).toEqual([
    'project p: 2 projects have this name (1, 2); name one by its id',
  ]);
});

test('of an amount that is no whole number of cents no other amount is made: nobody knows whether dollars were meant', () => {
  for (const amount of ['"$200"', '200.50', '-3']) {
    const read = readDesired([{ name: 'a.yaml', text: `others: keep\nbudgets: [{ project: p, amountCents: ${amount} }]\n` }]);
    expect('problems' in read && read.problems.join('\n')).toMatch(/amountCents.*; write whole US cents: 200 dollars are 20000$/);
  }
  for (const more of ['members: { ada: "$50" }', 'members: { ada: 50.5 }', 'renewal: { cadence: weekly, amountCents: "$5" }']) {
    const read = readDesired([{ name: 'a.yaml', text: `budgets: [{ project: p, amountCents: 5, ${more} }]\n` }]);
    expect('problems' in read && read.problems.join('\n')).toMatch(/; write whole US cents: 200 dollars are 20000$/);
  }
  const limits = readDesired([{ name: 'a.yaml', text: 'budgets: [{ project: p, amountCents: 5, memberLimits: "defaultCents $50" }]\n' }]);
  expect('problems' in limits && limits.problems.join('\n')).not.toMatch(/defaultCents: \d/);
});

test('a number of a table that begins with zeros is no number', () => {
  for (const amount of ['0500', '-007']) {
    const read = readDesired([{ name: 'b.csv', text: `project,amountCents\nHarbour,${amount}\n` }]);
    expect('problems' in read && read.problems).toEqual([expect.stringMatching(/^b\.csv:2:9: column amountCents: .*write whole US cents/)]);
  }
});

const head = 'project,amountCents,renewal.cadence,renewal.amountCents,renewal,memberLimits.enabled,member,limitCents\n';

test('a table says what a file says: a row for each budget, a row for each own limit, none for the project of the organization', () => {
  const table = [
    'Harbour survey,50000,weekly,500,,true,,',
    'Harbour survey,,,,,,Ada@example.com,900',
    'Harbour survey,,,,,,bob@example.com,',
    '"West, wall",20000,,,null,,,',
    ',,,,,true,,',
  ];
  const yaml = `organization: { memberLimits: { enabled: true } }
budgets:
  - project: Harbour survey
    amountCents: 50000
    renewal: { cadence: weekly, amountCents: 500 }
    memberLimits: { enabled: true }
    members: { Ada@example.com: 900, bob@example.com: null }
  - { project: 'West, wall', amountCents: 20000, renewal: null }
`;
  const read = readDesired([{ name: 'b.csv', text: `\uFEFF${head}${table.join('\r\n')}` }]);
  expect(read).toEqual(readDesired([{ name: 'b.yaml', text: yaml }]));
  expect(read).toHaveProperty('desired.budgets.length', 2);
  for (const delimiter of [';', '\t']) {
    const text = [head.trimEnd(), ...table].map((line) => line.replaceAll(/,(?! wall)/g, delimiter)).join('\n');
    expect(readDesired([{ name: 'b.csv', text }])).toEqual(read);
  }
});

test.each([
  ['project,amountCent\na,1\n', /^b\.csv:1:9: there is no column 'amountCent'.*amountCents/],
  ['project,project\na,a\n', /^b\.csv:1:9: the column 'project' stands twice; keep one/],
  ['project,amountCents\na,12.5\n', /^b\.csv:2:3: column amountCents: 'amountCents' is 12\.5, expected a whole number; write/],
  ['project,amountCents,renewal.cadence\na,1,\nb,1,daily\n', /^b\.csv:3:1: this row needs renewal\.amountCents; fill the cell/],
  ['project,amountCents\na,1,2\n', /^b\.csv:2:5: this row has 3 cells and the table 2 columns; put a text with a comma into quotes/],
  ['project;amountCents\na;1;2\n', /^b\.csv:2:5: this row has 3 cells and the table 2 columns; put a text with a semicolon into quotes/],
  ['project;amountCent\na;1\n', /^b\.csv:1:9: there is no column 'amountCent'.*amountCents/],
  ['project,amountCents\n"a,1\n', /^b\.csv:2:1: a quote begins here that nothing ends; write ""/],
  [`${head}a,1,,,,,,\na,,,,,,ada,$7\n`, /^b\.csv:3:\d+: column limitCents: .*; write whole US cents: 200 dollars are 20000$/],
  [`${head}a,1,daily,0,,,,\n`, /^b\.csv:2:.*a renewal of 0 cents is none; write renewal: null/],
  [`${head}a,1,daily,5,null,,,\n`, /^b\.csv:2:13: column renewal: renewal is said in this row already; leave one of the cells empty/],
  [`${head}a,1,,,,,,7\n`, /^b\.csv:2:10: column limitCents: it is the own limit of a member; name the member/],
  [`${head}z,,,,,,ada,7\n`, /^b\.csv:2:1: column member: project z has no row of its own; add one/],
  [`${head}a,1,,,,,,\na,2,,,,,ada,7\n`, /^b\.csv:3:3: column amountCents: a row with a member holds limitCents alone/],
  [`${head}a,1,,,,,,\na,,,,,,ada,7\na,,,,,,ada,8\n`, /^b\.csv:4:8: column member: ada has a limit already; name the member once/],
  ['project,memberLimits.enabled\n,x\n', /^b\.csv:2:2: column memberLimits\.enabled: .*true or false/],
  ['project,amountCents\n7,x\n', /^b\.csv:2:3: column amountCents/],
  ['project,amountCents\na,1\na,2\n', /^b\.csv:3:1: project: the budget of project a is said in b\.csv:2:1: project already; say it once/],
] as const)('a table that is wrong is refused with row, column, rule and remedy: %j', (text, says) => {
  expect(readDesired([{ name: 'b.csv', text }])).toEqual({ problems: [expect.stringMatching(says)] });
});
