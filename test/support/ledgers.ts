import { periodOf, type Period } from '../../contracts/instance/periods.ts';
import type { LedgerInput } from '../../pipelines/budgets/ledger.ts';
import type { LedgerBudget, LedgerRun } from '../../pipelines/budgets/ledger-parts.ts';
import type { Clock } from '../../service/core/clock.ts';
import { openRecords, type Records } from '../../service/core/records/database.ts';
import { chance } from './chance.ts';
import { createBudgets, type Budgets } from '../../service/engine/budgets/budgets.ts';

/** What the API shows of an organization in which agents have spent money: its ledger, and what a control changes in it. */
export type DrawnLedger = Omit<LedgerInput, 'moving'>;

class Drawn extends Error {
  readonly ledger: DrawnLedger;
  constructor(ledger: DrawnLedger) {
    super('drawn');
    this.ledger = ledger;
  }
}

const hour = 3_600_000;
const models = ['auto', 'large'];

type Run = LedgerRun & { member: string };

/** Ledgers as the service's own bookkeeping makes them: what is drawn is who spends what, when, and when budgets begin. */
export function ledgerMaker() {
  const records = openRecords(':memory:');
  let now = 0;
  const clock: Clock = { now: () => now, move: () => undefined, onMove: () => undefined, offsetSeconds: 0 };
  const budgets = createBudgets(records, clock);
  return {
    draw(seed: number): DrawnLedger {
      try {
        records.transaction(() => {
          now = Date.UTC(2026, 2, 1);
          throw new Drawn(spend(seed, { records, budgets, now: () => now, pass: (ms) => (now += ms) }));
        });
      } catch (error) {
        // Nothing of it stays: the next one begins anew.
        if (error instanceof Drawn) return error.ledger;
        throw error;
      }
      throw new Error('no ledger was drawn');
    },
    close: () => records.close(),
  };
}

type Making = { records: Records; budgets: Budgets; now: () => number; pass: (ms: number) => void };

function spend(seed: number, { records, budgets, now, pass }: Making): DrawnLedger {
  const random = chance(seed);
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  const one = <T>(of: readonly T[]): T => of[upTo(of.length - 1)]!;
  const iso = (): string => new Date(now()).toISOString();

  const organizationId = `org-${seed}`;
  const users = Array.from({ length: 1 + upTo(2) }, (_, at) => `user-${at}`);
  const projects = Array.from({ length: 1 + upTo(2) }, (_, at) => `project-${at}`);
  for (const user of users)
    records.run(
      'INSERT INTO users (id, nickname, name, email, created_at) VALUES (?, ?, ?, ?, ?)',
      user,
      user,
      user,
      `${user}@example.com`,
      iso(),
    );
  records.run(
    "INSERT INTO organizations (id, nickname, slug, organization_type, created_at) VALUES (?, ?, ?, 'team', ?)",
    organizationId,
    organizationId,
    organizationId,
    iso(),
  );
  for (const project of projects)
    records.run(
      'INSERT INTO work_projects (id, organization_id, name, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
      project,
      organizationId,
      project,
      iso(),
      iso(),
    );

  const owned = (project: string) => records.get('SELECT 1 AS yes FROM budgets WHERE project_id = ?', project) !== undefined;
  const begin = (project: string): void => {
    if (owned(project)) return;
    const period = one<Period | null>([null, null, 'daily', 'weekly']);
    budgets.create({ userId: users[0]!, organizationId }, project, {
      amountCents: upTo(5_000),
      onExhausted: 'notify',
      memberLimits: { enabled: true, defaultCents: period === null ? null : 100_000, period },
    });
  };
  for (const project of projects) if (random() < 0.4) begin(project);

  const runs: Run[] = [];
  const launch = (): void => {
    const run: Run = {
      run: `run-${runs.length}`,
      member: one(users),
      project: random() < 0.2 ? null : one(projects),
      createdAt: iso(),
      updatedAt: iso(),
      underWay: true,
      gone: false,
      models: [],
    };
    runs.push(run);
  };
  const charge = (run: Run): void => {
    // Halves of cents are where rounding has two ways to go.
    const nano = random() < 0.3 ? 5_000_000 * upTo(5) : upTo(30_000_000);
    const model = one(models);
    const known = run.models.find((each) => each.model === model);
    if (known) known.nano += nano;
    else run.models.push({ model, nano });
    budgets.charge({ userId: run.member, organizationId, projectId: run.project }, { agentId: run.run, nanoUsd: nano });
    run.updatedAt = iso();
  };
  launch();
  for (let events = 6 + upTo(14); events > 0; events--) {
    const live = runs.filter(({ underWay }) => underWay);
    const what = random();
    if (what < 0.2 || live.length === 0) launch();
    else if (what < 0.7) charge(one(live));
    else if (what < 0.8) one(live).underWay = false;
    else if (what < 0.87) begin(one(projects));
    pass(random() < 0.1 ? upTo(30) * hour : 1 + upTo(600_000));
  }

  const seen = budgets.list(organizationId).map((row): LedgerBudget => {
    const members = users.map((id) => ({ id, email: `${id}@example.com`, spentCents: budgets.spentBy(row, id) }));
    const resetsAt = row.limit_period === null ? null : new Date(periodOf(row.limit_period, now()).end).toISOString();
    const { id, project_id: project, spent_cents: spentCents, limit_period: period } = row;
    return { id, name: project ?? 'organization', project, spentCents, period, resetsAt, members };
  });
  // What the API says of a cost is a number of dollars.
  const shown = runs.map((run): Run => ({
    ...run,
    models: run.models.map(({ model, nano }) => ({ model, nano: Math.round((nano / 1e9) * 1e9) })),
  }));
  const before = new Map(shown.map((run): [string, LedgerRun] => [run.run, run]));
  const withoutPeriod = seen.every(({ period }) => period === null) && seen.length === 1;
  const hidden = withoutPeriod && users.length > 1 && random() < 0.3 ? users.at(-1) : undefined;
  return {
    budgets: seen,
    runs: shown.filter(({ member }) => member !== hidden).map((run) => (!run.underWay && random() < 0.1 ? { ...run, gone: true } : run)),
    known: new Set(users.filter((user) => user !== hidden)),
    before,
  };
}

export type Tampered = {
  ledger: DrawnLedger;
  what: string;
  names: (row: { budget: string; run: string | null; model: string | null; member: string | null }) => boolean;
};

/** A ledger in which one thing is not as it was booked, and how a finding names it. */
export function tamper(drawn: DrawnLedger, seed: number): Tampered {
  const random = chance(seed);
  const cents = 60 + Math.floor(random() * 500);
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  const runs = drawn.runs.filter((run) => !run.gone && run.models.length > 0);
  const kind = one(runs.length > 0 ? ['budget', 'member', 'usage'] : ['budget']);
  if (kind === 'usage') {
    const run = one(runs);
    const { model } = one(run.models);
    const models = run.models.map((each) => (each.model === model ? { model, nano: each.nano + cents * 10_000_000 } : each));
    // The ledger before knew more than is shown now.
    const before = new Map([...drawn.before, [run.run, { ...run, models }]]);
    const spent = new Map([...drawn.budgets].map((budget) => [budget.project, budget]));
    const payer = spent.get(run.project) ?? spent.get(null)!;
    const budgets = drawn.budgets.map((budget) => (budget === payer ? { ...budget, spentCents: budget.spentCents + cents } : budget));
    return {
      ledger: { ...drawn, before, budgets },
      what: `usage of ${run.run}`,
      names: (row) => row.run === run.run && row.model === model,
    };
  }
  const target = one(drawn.budgets);
  if (kind === 'member') {
    const member = one(target.members.filter(({ id }) => drawn.known.has(id)));
    const members = target.members.map((each) => (each === member ? { ...each, spentCents: each.spentCents + cents } : each));
    const budgets = drawn.budgets.map((budget) => (budget === target ? { ...budget, members } : budget));
    return {
      ledger: { ...drawn, budgets },
      what: `spent by ${member.id}`,
      names: (row) => row.budget === target.name && row.member === member.email,
    };
  }
  const budgets = drawn.budgets.map((budget) => (budget === target ? { ...budget, spentCents: budget.spentCents + cents } : budget));
  return { ledger: { ...drawn, budgets }, what: `spent of ${target.name}`, names: (row) => row.budget === target.name };
}
