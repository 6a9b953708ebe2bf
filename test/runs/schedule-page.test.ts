import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RunLine } from '../../runs/list.ts';
import { gapsIn, standingOf, type DueTime } from '../../runs/schedule/gaps.ts';
import type { ScheduleOverview } from '../../runs/schedule/overview.ts';
import { schedulesPage } from '../../runs/schedule/page.ts';
import type { ScheduleState } from '../../runs/schedule/read.ts';

const hour = 3_600_000;
const iso = (at: number): string => new Date(at).toISOString();
const run = (name: string, state: RunLine['state'] = 'done'): RunLine => ({
  run: name,
  pipeline: name,
  state,
  startedAt: iso(0),
  endedAt: iso(2_000),
  startedBy: name,
  connections: {},
});

const states = ['done', 'failed', 'cancelled', 'refused', 'forgotten', 'running', 'queued', 'paused', 'approval'] as const;
/** Of which nothing has to be made up for: it was done, or may still be. */
const covering: readonly string[] = ['done', 'running', 'queued', 'paused', 'approval'];

test('gaps hold each time once of which no run ended well or is under way, and no other', () => {
  const runs = fc.array(fc.constantFrom(...states), { maxLength: 3 });
  fc.assert(
    fc.property(fc.array(runs, { maxLength: 40 }), (all) => {
      const past = all.map((of, at): DueTime => ({ scheduledAt: iso(at * hour), runs: of.map((state) => run('a', state)) }));
      const gaps = gapsIn(past);
      const missing = all.map((of) => !of.some((state) => covering.includes(state)));
      for (const [at, { scheduledAt }] of past.entries())
        expect(gaps.filter(({ from, to }) => from <= scheduledAt && scheduledAt < to)).toHaveLength(missing[at] ? 1 : 0);
      expect(gaps.reduce((sum, { count }) => sum + count, 0)).toBe(missing.filter(Boolean).length);
      for (const { count, why } of gaps) expect(Object.values(why).reduce((sum, n) => sum + n, 0)).toBe(count);
    }),
  );
});

test('a gap says why it is one; what was started by hand at no time of the plan is none', () => {
  const undone = (state: 'done' | 'running' | 'failed' | 'refused'): RunLine => ({ ...run('a'), undone: { run: 'a.undo', state } });
  const past: RunLine[][] = [
    [],
    [],
    [run('a', 'failed')],
    [run('a', 'cancelled'), run('a', 'failed')],
    [undone('done')],
    [undone('failed')],
    [run('a', 'forgotten')],
    // One that ended well is enough, also where a later one did not.
    [run('a', 'failed'), run('a')],
    [undone('refused')],
    [run('a', 'failed')],
    // Under way: whoever makes up for the gap before it would do it twice.
    [run('a', 'running'), run('a', 'failed')],
    [run('a', 'refused')],
  ];
  const times = past.map((runs, at): DueTime => ({ scheduledAt: iso(at * hour), runs }));
  times.splice(4, 0, { scheduledAt: iso(3.5 * hour), runs: [run('a', 'failed')], byHand: true });
  expect(gapsIn(times)).toEqual([
    {
      from: iso(0),
      to: iso(6 * hour + 1_000),
      count: 7,
      why: { 'never run': 2, failed: 1, cancelled: 1, 'taken back': 2, 'end unknown': 1 },
    },
    { from: iso(9 * hour), to: iso(9 * hour + 1_000), count: 1, why: { failed: 1 } },
    { from: iso(11 * hour), to: iso(11 * hour + 1_000), count: 1, why: { refused: 1 } },
  ]);
  expect(standingOf({ runs: past[10]! })).toMatchObject({ is: 'open', run: { state: 'running' } });
});

test('a time that is none of the plan, for clocks have changed, is a gap of its own', () => {
  const past: DueTime[] = [
    { scheduledAt: iso(0), runs: [] },
    { scheduledAt: iso(hour), runs: [], leftOut: true },
    { scheduledAt: iso(2 * hour), runs: [] },
  ];
  expect(gapsIn(past)).toEqual([
    { from: iso(0), to: iso(1_000), count: 1, why: { 'never run': 1 } },
    { from: iso(hour), to: iso(hour + 1_000), count: 1, why: { 'left out when clocks changed': 1 }, leftOut: true },
    { from: iso(2 * hour), to: iso(2 * hour + 1_000), count: 1, why: { 'never run': 1 } },
  ]);
});

const overviewOf = (text: string): ScheduleOverview => ({
  state: {
    name: text,
    schedule: { cron: '0 * * * *', timezone: 'Europe/Madrid', overlap: 'skip', catchUp: '1h', pauseOnFailure: false },
    appliedAt: iso(0),
    createdAt: iso(0),
    paused: true,
    note: text,
    input: { plan: { hash: text }, start: { who: text } } as ScheduleState['input'],
    next: [],
    recent: [],
    running: 0,
    missed: 0,
    overlapped: 0,
    kept: 0,
    started: 3,
  },
  past: [
    { scheduledAt: iso(hour), window: { from: iso(0), to: iso(hour) }, runs: [run(text), run(text, 'failed')] },
    { scheduledAt: iso(2 * hour), runs: [] },
    { scheduledAt: iso(3 * hour), runs: [run(text, 'failed')] },
  ],
  preview: { next: [{ scheduledAt: iso(4 * hour) }], clocks: [] },
  marks: [
    {
      pipeline: text,
      step: text,
      connection: text,
      dataset: text,
      source: text,
      version: 2,
      from: null,
      to: { kind: 'rows', value: '24' },
      at: iso(0),
      by: text,
      rows: 24,
      readsAgain: { from: null, undone: [text] },
    },
  ],
});

test('the page shows each time with what became of it, why there is a gap and what makes up for it, and the marks', () => {
  const page = schedulesPage([overviewOf('hourly')], iso(5 * hour));
  expect(page.match(/<i class="(\w+)" title="([^"]*)"/g)).toEqual([
    '<i class="done" title="1970-01-01 02:00 +01:00: done, hourly, 2 runs"',
    '<i class="none" title="1970-01-01 03:00 +01:00: never run"',
    '<i class="failed" title="1970-01-01 04:00 +01:00: failed, hourly"',
  ]);
  expect(page).toContain('portolan schedule backfill hourly --from 1970-01-01T02:00:00Z --to 1970-01-01T03:00:01Z --yes');
  expect(page).toContain('<td>1 never run, 1 failed</td>');
  expect(page).toContain('<code>24 rows</code><br><small>read next from the beginning: hourly was taken back</small>');
  expect(page).toContain('<dt>gaps</dt><dd><b class="failed">2</b> since 1970-01-01 02:00 +01:00</dd>');
  expect(page).toContain('1970-01-01 05:00 +01:00');
});

test('where the clocks change between two times stands a mark, and a gap on either side of it is one of as many times as are due', () => {
  const due = (text: string, runs: RunLine[] = []): DueTime => ({ scheduledAt: text, runs });
  // Clocks go back at 01:00Z: 02:00 is there twice.
  const past = [
    due('2026-10-24T23:00:00.000Z', [run('a')]),
    due('2026-10-25T00:00:00.000Z'),
    due('2026-10-25T01:00:00.000Z'),
    due('2026-10-25T02:00:00.000Z', [run('a')]),
  ];
  const page = schedulesPage([{ ...overviewOf('hourly'), past }], iso(5 * hour));
  expect([...page.matchAll(/<(?:i class="none"|u) title="([^"]*)"/g)].map(([, title]) => title)).toEqual([
    '2026-10-25 02:00 +02:00: never run',
    'clocks went back 60 min before 2026-10-25 02:00 +01:00',
    '2026-10-25 02:00 +01:00: never run',
  ]);
  expect(page).toContain('--from 2026-10-25T00:00:00Z --to 2026-10-25T01:00:01Z --yes');
  expect(page).toContain('<td>2026-10-25 02:00 +02:00</td><td class="n">2</td>');
});

test('of many times that a change of the clocks leaves out the first ones, the last one and their number are named', () => {
  const clock = (minute: number): string => `2027-10-31T02:${String(minute).padStart(2, '0')}:00.000Z`;
  const twice = Array.from({ length: 30 }, (_, at) => ({ clock: clock(2 * at), runs: at === 0 ? ['2027-10-31T01:00:00.000Z'] : [] }));
  const clocks = [{ at: '2027-10-31T01:00:00.000Z', byMinutes: -60, skipped: [], twice, lost: [], unnamed: [], unread: [] }];
  const page = schedulesPage([{ ...overviewOf('often'), preview: { next: [], clocks } }], iso(0));
  expect(page).toContain(
    '<td>2027-10-31</td><td>back 60 min</td><td>02:00 once (+01:00), 02:02, 02:04, 02:06 … 02:58 (29 times) never</td>',
  );
});

test('nothing from outside becomes markup', () => {
  const tags = (page: string): string[] => page.match(/<[^>]*>/g)!.map((tag) => tag.replace(/"[^"]*"/g, '""'));
  const plain = tags(schedulesPage([overviewOf('word')], iso(0)));
  fc.assert(
    fc.property(fc.array(fc.constantFrom('<script>', '"', "'", '&', '>', '<', 'x', ' onload=', '</style>')), (parts) => {
      expect(tags(schedulesPage([overviewOf(`word${parts.join('')}`)], iso(0)))).toEqual(plain);
    }),
  );
});
