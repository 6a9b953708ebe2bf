import { afterAll, expect, test } from 'vitest';
import { momentsOf } from '../../pipelines/budgets/begun.ts';
import { reconcile, type Ledger } from '../../pipelines/budgets/ledger.ts';
import type { LedgerBudget, LedgerRun } from '../../pipelines/budgets/ledger-parts.ts';
import { sayFindings, sayLedger } from '../../pipelines/budgets/say-ledger.ts';
import { ledgerMaker, tamper, type DrawnLedger } from '../support/ledgers.ts';

const maker = ledgerMaker();
afterAll(() => maker.close());

const of = (drawn: DrawnLedger): Ledger => reconcile({ ...drawn, moving: false });

const run = (name: string, nano: number, more: Partial<LedgerRun> = {}): LedgerRun => ({
  run: name,
  member: 'ada',
  project: null,
  createdAt: `2026-03-01T0${name}:00:00.000Z`,
  updatedAt: `2026-03-01T0${name}:30:00.000Z`,
  underWay: false,
  gone: false,
  models: [{ model: 'auto', nano }],
  ...more,
});
const budget = (spentCents: number, more: Partial<LedgerBudget> = {}): LedgerBudget => ({
  id: 'o',
  name: 'organization',
  project: null,
  spentCents,
  period: null,
  resetsAt: null,
  members: [],
  ...more,
});
const cent = 10_000_000;
const ledger = (budgets: LedgerBudget[], runs: LedgerRun[], more: Partial<DrawnLedger> = {}): Ledger =>
  of({ budgets, runs, known: new Set(), before: new Map(), ...more });
const rowsOf = ({ rows }: Ledger, kind: string) => rows.filter((row) => row.kind === kind).map((row) => [row.budget, row.cents]);

test('ledgers that the bookkeeping of the service makes have no cent that is unexplained, and their rows add up to what was spent', () => {
  for (let seed = 1; seed <= 1_500; seed++) {
    const drawn = maker.draw(seed);
    const made = of(drawn);
    expect(sayFindings(made), `seed ${seed}`).toEqual([]);
    for (const { name, spentCents } of drawn.budgets) {
      const parts = made.rows.filter((row) => row.budget === name && row.kind !== 'model' && row.kind !== 'of member');
      expect(
        parts.reduce((sum, { cents }) => sum + cents, 0),
        `seed ${seed}, ${name}`,
      ).toBe(spentCents);
    }
  }
});

test('one thing that is not as it was booked is a finding that names it: a budget, a member, a model of a run', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const { ledger: changed, what, names } = tamper(maker.draw(seed), seed);
    const findings = of(changed).rows.filter(({ kind }) => kind === 'unexplained' || kind === 'of member');
    expect(findings.some(names), `seed ${seed}, ${what}`).toBe(true);
  }
});

test('a run is rounded once, half to even, whatever its models cost, and the lines say how much rounding adds', () => {
  const made = ledger(
    [budget(2)],
    [
      run('1', 0.4 * cent),
      run('2', 0, {
        models: [
          { model: 'a', nano: 0.75 * cent },
          { model: 'b', nano: 0.75 * cent },
        ],
      }),
    ],
  );
  expect([made.unexplainedCents, rowsOf(made, 'run')]).toEqual([
    0,
    [
      ['organization', 0],
      ['organization', 2],
    ],
  ]);
  expect(sayLedger(made, [budget(2)])).toEqual(['organization: $0.02 spent: $0.02 by 2 runs, of which rounding 0.1000 cents']);
});

test('runs of before a project had a budget were paid by the organization, one that was under way by both, and rounding of each is named', () => {
  const at = budget(0, { id: 'p', name: 'P', project: 'p' });
  const runs = [run('1', 5 * cent, { project: 'p' }), run('2', 5 * cent, { project: 'p' }), run('3', 5 * cent, { project: 'p' })];
  const made = ledger([budget(8), { ...at, spentCents: 8 }], runs);
  expect([made.unexplainedCents, rowsOf(made, 'moved'), rowsOf(made, 'split')]).toEqual([
    0,
    [
      ['P', -5],
      ['organization', 5],
      ['P', -2],
      ['organization', 2],
    ],
    [['organization', 1]],
  ]);
  // Nobody has paid what the project has not: nothing was moved.
  expect(sayFindings(ledger([budget(0), { ...at, spentCents: 8 }], runs))).toEqual(['P: -7 cents: less is spent than its runs have cost']);
});

test('what members have spent whose runs nobody names is theirs; of others it is compared with their runs', () => {
  const members = [
    { id: 'ada', email: 'ada@example.com', spentCents: 5 },
    { id: 'bob', email: null, spentCents: 7 },
  ];
  const known = new Set(['ada']);
  const made = ledger([budget(12, { members })], [run('1', 5 * cent)], { known });
  expect([made.unexplainedCents, rowsOf(made, 'member')]).toEqual([0, [['organization', 7]]]);
  expect(sayFindings(ledger([budget(12, { members })], [run('1', 4 * cent)], { known }))).toEqual([
    'organization: 1 cents: more is spent than the runs have cost that are named here',
    'organization: 1 cents (member ada@example.com): has spent 5 cents by the budget, and 4 by the runs',
  ]);
});

test('in the window of a budget a run counts whole that began in it, and in part one that began before', () => {
  const window = { period: 'daily', resetsAt: '2026-03-02T00:00:00.000Z' } as const;
  const spent = (spentCents: number) => [{ id: 'ada', email: 'ada', spentCents }];
  const runs = [run('1', 5 * cent), run('2', 3 * cent, { createdAt: '2026-02-28T23:00:00.000Z' })];
  const findings = (cents: number) =>
    ledger([budget(8, { ...window, members: spent(cents) })], runs, { known: new Set(['ada']) }).unexplainedCents;
  expect([4, 5, 7, 8, 9].map(findings)).toEqual([1, 0, 0, 0, 1]);
});

test('usage that is less than it was, or more without a turn, is named by run and model; a deleted run is as it was last seen', () => {
  const was = run('1', 9 * cent);
  const before = new Map([['1', was]]);
  expect(sayFindings(ledger([budget(9)], [run('1', 4 * cent)], { before }))).toEqual([
    'organization: 5 cents (run 1, model auto, member ada): its usage was 0.090000000 $, and is 0.040000000 $',
  ]);
  expect(ledger([budget(12)], [run('1', 12 * cent, { updatedAt: '2026-03-02T00:00:00.000Z' })], { before }).unexplainedCents).toBe(0);
  expect(sayFindings(ledger([budget(9)], [run('1', 12 * cent)], { before }))).toEqual([
    'organization: -3 cents (run 1, model auto, member ada): its usage was 0.090000000 $, and is 0.120000000 $',
  ]);
  expect(ledger([budget(9)], [{ ...was, gone: true }], { before }).unexplainedCents).toBe(0);
});

test('what was spent while it was read is no finding where a run goes on', () => {
  const input = { budgets: [budget(9)], runs: [run('1', 4 * cent, { underWay: true })], known: new Set<string>(), before: new Map() };
  expect(reconcile({ ...input, moving: true }).unexplainedCents).toBe(0);
  expect(reconcile({ ...input, moving: false }).unexplainedCents).toBe(5);
});

test('a run that two budgets have paid is rounded by each: a cent less than the runs before may be missing', () => {
  const costed = (id: string, createdAt: string, updatedAt: string, cents: number) => ({
    ...run(id, cents * cent, { updatedAt }),
    createdAt,
    cents,
  });
  const whole = costed('1', '2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z', 10);
  const part = costed('2', '2026-03-03T00:00:00.000Z', '2026-03-05T00:00:00.000Z', 5);
  const moments = momentsOf([whole, part], 9).map((each) => [each.whole, each.parts].map((runs) => runs.map((each) => each.run)));
  expect(moments).toContainEqual([['1'], ['2']]);
});
