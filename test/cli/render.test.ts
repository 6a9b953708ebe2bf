import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderClosing } from '../../cli/render/closing.ts';
import { connectionsLine } from '../../cli/render/connections.ts';
import { happeningLine, nextHappenings, nothingReported, type Happening } from '../../cli/render/happenings.ts';
import { renderLive } from '../../cli/render/live.ts';
import { createPaint, fit } from '../../cli/render/paint.ts';
import { cells } from '../../text/cells.ts';
import { plain } from '../../text/controls.ts';
import { nextRates, timeLeft } from '../../cli/render/rates.ts';
import { renderReuse } from '../../cli/render/reuse.ts';
import { renderRuns } from '../../cli/render/runs.ts';
import { renderPreview } from '../../cli/render/schedules.ts';
import { bytes, duration, number } from '../../text/units.ts';
import { schedule as scheduleOf } from '../../pipelines/file/schedule.ts';
import type { RunLine } from '../../runs/list.ts';
import type { SchedulePreview } from '../../runs/schedule/preview.ts';
import type { RunSnapshot } from '../../runs/view.ts';
import type { StepView } from '../../workflows/messages.ts';
import { at, snapshotOf, start } from '../runs/support.ts';

const noPaint = createPaint(false);
const live = (snapshot: RunSnapshot, options: Partial<Parameters<typeof renderLive>[1]> = {}): string =>
  renderLive(snapshot, { rates: {}, now: start + 14_000, columns: 110, paint: noPaint, connections: 'maps: local', ...options }).join('\n');

const steps: StepView[] = [
  {
    id: 'dataset',
    use: 'dataset.ensure',
    kind: 'call',
    status: 'done',
    needs: [],
    startedAt: at(0),
    endedAt: at(200),
    output: {
      id: '8c1e5d8e-1111-4222-8333-444455556666',
      slug: 'movies',
      created: true,
      rows: 0,
      idField: 'id',
      url: 'http://127.0.0.1:7411/x',
    },
  },
  {
    id: 'rows',
    use: 'dataset.append',
    kind: 'sweep',
    status: 'done',
    needs: ['dataset'],
    startedAt: at(200),
    endedAt: at(1_300),
    counts: { done: 3_201, added: 3_199, rejected: 2, present: 0 },
  },
  {
    id: 'map',
    use: 'index.build',
    kind: 'poll',
    status: 'running',
    needs: ['rows'],
    startedAt: at(1_300),
    progress: { done: 1_920, total: 3_201, unit: 'texts', note: 'embedding' },
  },
  { id: 'rich', use: 'points.select', kind: 'call', status: 'waiting', needs: ['map'] },
  { id: 'tag', use: 'points.tag', kind: 'sweep', status: 'waiting', needs: ['rich'] },
];

describe('live view', () => {
  test('shows each step with what it did, does or waits for', () => {
    expect(live(snapshotOf({ steps }), { rates: { map: { perSecond: 158, looks: [] } } })).toMatchInlineSnapshot(`
      "ingest  run ingest-2026-11-21-a7f3   maps: local                  portolan pause|cancel ingest-2026-11-21-a7f3
      ✓ dataset  movies · created                                                                              0.2 s
      ✓ rows     3,199 added · 2 rejected (portolan items ingest-2026-11-21-a7f3 --status rejected)            1.1 s
      ● map      embedding 1,920 / 3,201 texts · 158/s · 8.1 s left
        rich     waits for map
        tag      waits for rich
      now: nothing limits this run"
    `);
  });

  test('says what limits the run', () => {
    const limited = snapshotOf({ steps }, [
      {
        id: 'tag/chunk/3',
        step: 'tag',
        type: 'points.tag',
        attempt: 2,
        waiting: true,
        nextAt: at(19_000),
        lastFailure: { type: 'RateLimited', message: 'maps/tag closed for 5 s', status: 429, limit: 'maps/tag', waitMs: 5_000 },
      },
    ]);
    expect(live(limited).split('\n').at(-1)).toMatchInlineSnapshot(
      `"now: closed 5.0 s by maps/tag (429, Retry-After), 1 call waiting, no attempt used"`,
    );
    expect(
      live({ ...snapshotOf({ steps: [] }), source: 'server' })
        .split('\n')
        .at(-1),
    ).toMatchInlineSnapshot(`"now: no worker answers: start one with portolan worker, or portolan dev"`);
    expect(
      live(snapshotOf({ state: 'paused', paused: { who: 'ada@ship', note: 'service window', at: at(0) }, steps }))
        .split('\n')
        .at(-1),
    ).toMatchInlineSnapshot(`"now: paused by ada@ship (service window): portolan resume ingest-2026-11-21-a7f3"`);
    expect(
      live(
        snapshotOf({
          state: 'approval',
          steps: [{ id: 'ok', use: 'gate.approve', kind: 'gate', status: 'approval', needs: [], startedAt: at(0) }],
        }),
      ),
    ).toMatchInlineSnapshot(`
      "ingest  run ingest-2026-11-21-a7f3   maps: local                  portolan pause|cancel ingest-2026-11-21-a7f3
      ? ok    waits for a person                                                                                14 s
      now: ok waits for a person: portolan approve ingest-2026-11-21-a7f3 ok --note '…'"
    `);
  });

  test('shows a failed step with its reason', () => {
    const error = { step: 'rows', type: 'BadInput', message: '238 of 3201 items rejected' };
    const failed: StepView[] = [{ ...steps[1]!, status: 'failed', counts: { done: 10 }, error }];
    expect(live(snapshotOf({ state: 'failed', steps: failed, error }))).toMatchInlineSnapshot(`
      "ingest  run ingest-2026-11-21-a7f3   maps: local
      ✗ rows  238 of 3201 items rejected                                                                       1.1 s"
    `);
  });

  test('what is under way stays in sight, whatever was skipped before it', () => {
    const many = Array.from({ length: 40 }, (_, at): StepView => ({
      ...steps[0]!,
      id: `step${at}`,
      status: at === 1 ? 'skipped' : at < 30 ? 'done' : at === 30 ? 'running' : 'waiting',
    }));
    const options = { rates: {}, now: start, columns: 80, rows: 14, paint: createPaint(false), connections: 'maps: local' };
    expect(renderLive(snapshotOf({ steps: many }), options).join('\n')).toContain('● step30');
  });

  test('never draws a line wider than the terminal', () => {
    const noted = (note: string): StepView[] =>
      steps.map((step) => (step.progress ? { ...step, progress: { ...step.progress, note } } : step));
    for (const note of [
      'embedding',
      '映画の一覧を地図に埋め込んでいます'.repeat(4),
      '🎬🎞️'.repeat(30),
      'e\u0301'.repeat(90),
      '한국어'.normalize('NFD').repeat(30),
    ])
      for (const columns of [20, 40, 80, 200])
        for (const line of renderLive(snapshotOf({ steps: noted(note) }), {
          rates: {},
          now: start,
          columns,
          paint: createPaint(true),
          connections: 'maps: local',
        }))
          expect(cells(line)).toBeLessThanOrEqual(columns);
  });
});

test('a pipeline taller than the terminal keeps the working step in sight', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(300), fc.integer({ min: 8, max: 80 }), (count, done, rows) => {
      const many = Array.from({ length: count }, (_, index): StepView => ({
        id: `s${index}`,
        use: 'x.y',
        kind: 'call',
        needs: [],
        status: index < done ? 'done' : index === done ? 'running' : 'waiting',
      }));
      const lines = renderLive(snapshotOf({ steps: many }), { rates: {}, now: start, columns: 80, rows, paint: noPaint, connections: '' });
      const working = done >= count || lines.some((line) => line.startsWith(`● s${done} `));
      return lines.length <= rows - 1 && working;
    }),
  );
});

test('the closing block says outcome, outputs and where to look', () => {
  const done = snapshotOf(
    { state: 'done', steps: steps.slice(0, 2), outputs: { map: 'http://127.0.0.1:7411/maps/8c1e', tagged: 310 } },
    [],
    at(31_000),
  );
  expect(
    renderClosing(
      done,
      {
        report: '.portolan/runs/x/report.html',
        temporal: 'http://127.0.0.1:8233/x',
        journal: { effects: 14, repeated: 0, harmless: 1, early: 0 },
      },
      noPaint,
    ),
  ).toMatchInlineSnapshot(`
    "✓ ingest  done in 31 s   3,199 added · 2 rejected
      map       http://127.0.0.1:7411/maps/8c1e
      tagged    310
      report    .portolan/runs/x/report.html
      temporal  http://127.0.0.1:8233/x
      journal   14 effects sent · 0 repeated · 1 harmless repeat · 0 calls before their Retry-After
    "
  `);
  const failed = snapshotOf(
    { state: 'failed', steps: [], error: { step: 'rows', type: 'BadInput', message: 'no such file' } },
    [],
    at(900),
  );
  expect(renderClosing(failed, {}, noPaint)).toMatchInlineSnapshot(`
    "✗ ingest  failed after 0.9 s in step rows: no such file
      why  portolan why ingest-2026-11-21-a7f3
    "
  `);
  const asked = snapshotOf(
    { state: 'approval', steps: [{ id: 'each[17].ok', use: 'gate.approve', kind: 'gate', status: 'approval', needs: [] }] },
    [],
    at(900),
  );
  expect(renderClosing(asked, {}, noPaint)).toMatchInlineSnapshot(`
    "? ingest  waits for a person after 0.9 s
      approve  portolan approve ingest-2026-11-21-a7f3 'each[17].ok' --note '…'   (or reject)
    "
  `);
});

test('of what waits for a person the closing block says what is let happen, until when, and in which run: that of a step, or of the undo', () => {
  const expiresAt = '2026-11-22T12:00:00.000Z';
  const approves = [{ step: 'drop', use: 'data.delete', acts: ['deletes 3 rows'] }];
  const asked = snapshotOf({
    state: 'approval',
    steps: [
      { id: 'ok', use: 'gate.approve', kind: 'gate', status: 'approval', needs: [], asks: { approves, show: { rows: 3 }, expiresAt } },
      {
        id: 'load',
        use: './load.yaml',
        kind: 'run',
        status: 'running',
        needs: [],
        child: { run: 'below', state: 'approval', asks: ['fine'] },
      },
      {
        id: 'other',
        use: './load.yaml',
        kind: 'run',
        status: 'running',
        needs: [],
        child: { run: 'beside', state: 'running', asks: ['no'] },
      },
    ],
    undo: { run: 'back', state: 'approval', asks: ['undo_rows'] },
  });
  const lines = renderClosing(asked, {}, noPaint).split('\n');
  expect(lines.slice(1).map((line) => line.trim())).toEqual([
    "approve    portolan approve below fine --note '…'   (or reject)",
    "approve    portolan approve back undo_rows --note '…'   (or reject)",
    "approve    portolan approve ingest-2026-11-21-a7f3 ok --note '…'   (or reject)",
    'lets     drop: deletes 3 rows',
    'shows    {"rows":3}',
    expect.stringMatching(/^expires {2}2026-11-2\d \d\d:\d\d:00$/u),
    '',
  ]);
});

describe('without a terminal', () => {
  const follow = (snapshots: readonly RunSnapshot[], everyMs = 1_000): Happening[] => {
    let reported = nothingReported;
    return snapshots.flatMap((snapshot, index) => {
      const next = nextHappenings(reported, snapshot, start + index * everyMs);
      reported = next.reported;
      return next.happenings;
    });
  };
  const map = (done: number): StepView => ({ ...steps[2]!, progress: { done, total: 1_000, unit: 'texts' } });

  test('reports each change once, and progress by tenths', () => {
    const run = [0, 10, 100, 110, 200].map((done) => snapshotOf({ steps: [map(done)] }));
    const ended = snapshotOf({ state: 'done', steps: [{ ...steps[2]!, status: 'done', endedAt: at(5_000), counts: { embedded: 1_000 } }] });
    expect(
      follow([...run, ended, ended])
        .map((happening) => happeningLine(happening))
        .map((line) => line.replace(/^\d\d:\d\d:\d\d /, '')),
    ).toMatchInlineSnapshot(`
      [
        "ingest run ingest-2026-11-21-a7f3   maps: local",
        "map running: 0 / 1,000 texts",
        "map 100 / 1,000 texts · 50/s · 18 s left",
        "map 200 / 1,000 texts · 50/s · 16 s left",
        "map done: 1,000 embedded (3.7 s)",
        "run done",
      ]
    `);
  });

  test('says once that a step was skipped, and why', () => {
    const { startedAt: _, progress: __, ...step } = map(0);
    const skipped: StepView = { ...step, status: 'skipped', skipped: { because: 'failure' } };
    const lines = follow([snapshotOf({ steps: [skipped] })]).map((happening) => happeningLine(happening));
    expect(lines[1]).toMatch(/ map skipped: the run had failed$/);
  });

  test('reports a limit once while its time runs down, and when it is gone', () => {
    const closed = (left: number): RunSnapshot =>
      snapshotOf({ steps: [] }, [
        {
          id: 'tag/chunk/0',
          step: 'tag',
          type: 'points.tag',
          attempt: 2,
          waiting: true,
          nextAt: at(10_000 - left),
          lastFailure: { type: 'RateLimited', message: '', limit: 'maps/tag', status: 429 },
        },
      ]);
    expect(
      follow([closed(0), closed(1_000), closed(2_000), snapshotOf({ steps: [] })]).flatMap((happening) =>
        happening.type === 'now' ? [happening.limiting.length] : [],
      ),
    ).toEqual([1, 0]);
  });

  test('a poll that waits for its next look is no limit', () => {
    expect(
      follow([
        snapshotOf({ steps: [] }, [
          {
            id: 'map/check',
            step: 'map',
            type: 'index.build:check',
            attempt: 7,
            waiting: true,
            lastFailure: { type: 'NotYet', message: 'embedding' },
          },
        ]),
      ]).map(({ type }) => type),
    ).toEqual(['started']);
  });
});

test('rates need two looks and forget a step that started over', () => {
  const view = (done: number) => snapshotOf({ steps: [{ ...steps[2]!, progress: { done, total: 1_000, unit: 'texts' } }] }).view;
  const first = nextRates({}, view(0), 0);
  expect(first['map']!.perSecond).toBeUndefined();
  const second = nextRates(first, view(100), 1_000);
  expect(second['map']!.perSecond).toBe(100);
  expect(timeLeft({ done: 100, total: 1_000 }, second['map'])).toBe(9_000);
  // A chunk that begins again takes back a little; a step that starts over counts from there.
  expect(nextRates(second, view(90), 2_000)['map']!.perSecond).toBe(45);
  const late = { looks: [{ at: 0, done: 50, bytes: 0 }], unit: 'texts' };
  expect(nextRates({ map: late }, view(5), 2_000)['map']).toEqual({ looks: [{ at: 2_000, done: 5, bytes: 0 }], unit: 'texts' });
});

test('the rate is over a sliding window, whatever the looks in it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 200, max: 3_000 }), { minLength: 2, maxLength: 60 }),
      fc.integer({ min: 1, max: 9_000 }),
      (gaps, speed) => {
        let rates = {};
        let now = 0;
        for (const gap of [0, ...gaps]) {
          now += gap;
          const progress = { done: (speed * now) / 1_000, total: 1e12, unit: 'items', bytes: (2 * speed * now) / 1_000 };
          rates = nextRates(rates, snapshotOf({ steps: [{ ...steps[2]!, progress }] }).view, now);
        }
        const { perSecond, bytesPerSecond, looks } = (
          rates as Record<string, { perSecond: number; bytesPerSecond: number; looks: unknown[] }>
        )['map']!;
        expect(perSecond).toBeCloseTo(speed, 4);
        expect(bytesPerSecond).toBeCloseTo(2 * speed, 4);
        expect(looks.length).toBeLessThan(80);
      },
    ),
  );
});

test('a sweep at size shows rate, bytes and time left; a reused step where its result is from', () => {
  const sweep: StepView = {
    ...steps[1]!,
    status: 'running',
    progress: { done: 120_000, total: 200_000, unit: 'items', bytes: 12_300_000 },
  };
  const shown = live(snapshotOf({ steps: [{ ...steps[0]!, reusedFrom: 'ingest-2026-11-20-0001' }, sweep] }), {
    rates: { rows: { perSecond: 8_200, bytesPerSecond: 1_100_000, looks: [] } },
    waited: new Map([
      ['maps/data', 5_000],
      ['maps/read', 300],
    ]),
  });
  expect(shown.split('\n').slice(1)).toEqual([
    '✓ dataset  reused from ingest-2026-11-20-0001                                                            0.2 s',
    '● rows     120,000 / 200,000 items · 8,200/s · 12 MB, 1.1 MB/s · 9.8 s left',
    'now: nothing limits this run · waited 5.0 s for maps/data so far',
  ]);
});

test('a loop says how many of its turns have ended, and behind that how many have failed', () => {
  const loop: StepView = {
    ...steps[1]!,
    kind: 'loop',
    status: 'running',
    progress: { done: 10, total: 26, unit: 'turns', note: '1 failed' },
  };
  expect(live(snapshotOf({ steps: [loop] }), {}).split('\n')[1]).toBe('● rows  10 / 26 turns · 1 failed');
});

test('a step about whose failure something is done says that it failed', () => {
  const error = { type: 'BadInput', message: 'no row has an id', step: 'rows' };
  const failing: StepView = {
    ...steps[1]!,
    status: 'running',
    progress: { done: 10, total: 26, unit: 'rows' },
    retries: { now: 2, of: 2, error },
    error,
  };
  expect(live(snapshotOf({ steps: [failing] }), {}).split('\n')[1]).toBe('● rows  2nd try of 2 · it failed: no row has an id');
});

test('a closed limit says how long it kept the run in all', () => {
  const pending = {
    id: 'rows/chunk/3',
    step: 'rows',
    type: 'dataset.append',
    attempt: 2,
    waiting: true,
    nextAt: at(19_000),
    lastFailure: { type: 'RateLimited', message: '', status: 429, limit: 'maps/data', waitMs: 5_000 },
  };
  expect(
    live(snapshotOf({ steps }, [pending]), { waited: new Map([['maps/data', 12_000]]) })
      .split('\n')
      .at(-1),
  ).toBe('now: closed 5.0 s by maps/data (429, Retry-After), 1 call waiting, no attempt used, 12 s in all');
});

test('what a rerun will do is said step by step', () => {
  expect(
    renderReuse(
      snapshotOf({ state: 'failed', error: { step: 'rows', type: 'BadInput', message: 'x' } }).view,
      {
        file: 'pipelines/ingest.yaml',
        verdicts: [
          { step: 'dataset', reused: true, why: 'reused' },
          { step: 'read', reused: true, why: 'reused', unless: ['/data/a.csv'] },
          { step: 'rows', reused: false, why: 'named by --from' },
        ],
        continuedBy: ['ingest-2026-11-22-b2c4'],
      },
      noPaint,
    ),
  ).toMatchInlineSnapshot(`
    "again from ingest-2026-11-21-a7f3 (failed in rows), file pipelines/ingest.yaml
      what was done since then counts too: ingest-2026-11-22-b2c4
      dataset  reused
      read     reused, unless /data/a.csv changed (not readable on this host)
      rows     runs: named by --from
    "
  `);
});

test('lists runs', () => {
  const lines: RunLine[] = [
    {
      run: 'ingest-2026-11-21-a7f3',
      pipeline: 'ingest',
      state: 'done',
      startedAt: '2026-11-21T12:00:00',
      endedAt: '2026-11-21T12:00:31',
      startedBy: 'ada@ship',
      connections: { maps: 'local' },
    },
    {
      run: 'hello-2026-11-20-0001',
      pipeline: 'hello',
      state: 'running',
      startedAt: '2026-11-20T12:00:00',
      startedBy: 'ada@ship',
      connections: {},
    },
  ];
  expect(renderRuns(lines, noPaint, Date.parse('2026-11-20T12:02:05'))).toMatchInlineSnapshot(`
    "ingest-2026-11-21-a7f3  done     2026-11-21 12:00       31 s  maps: local  ada@ship
    hello-2026-11-20-0001   running  2026-11-20 12:00  2 min 5 s               ada@ship
    "
  `);
});

test('every output names its connections and whether they are hosted', () => {
  expect(connectionsLine({ maps: 'local' }, [{ name: 'local', service: 'maps', hosted: false, url: 'http://127.0.0.1:7411' }])).toBe(
    'maps: local (http://127.0.0.1:7411)',
  );
  expect(connectionsLine({ maps: 'prod' }, [{ name: 'prod', service: 'maps', hosted: true, url: 'https://maps.example.com' }])).toBe(
    'maps: prod (hosted, https://maps.example.com)',
  );
  expect(connectionsLine({ maps: 'gone' })).toBe('maps: gone');
});

test('units', () => {
  expect([0, 180, 9_949, 31_000, 125_000, 11_520_000, 200_000_000].map(duration)).toEqual([
    '0.0 s',
    '0.2 s',
    '9.9 s',
    '31 s',
    '2 min 5 s',
    '3 h 12 min',
    '2 d 7 h',
  ]);
  expect([3_201, 158.44, 2.34].map(number)).toEqual(['3,201', '158', '2.3']);
  expect([12, 412_300, 1_500_000].map(bytes)).toEqual(['12 B', '412 kB', '1.5 MB']);
});

test('nothing from a service or file reaches the terminal as a control sequence', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !/[\x00-\x1f\x7f-\x9f]/.test(plain(text))));
});

test('a line is cut between words, and a word that fills it within', () => {
  const { dim } = createPaint(true);
  expect(fit('map    waits for rows, customers-of-the-north', 40)).toBe('map    waits for rows, …');
  expect(fit(`map  ${dim('waits for rows and more')}`, 19)).toBe(`map  ${dim('waits for …')}`);
  expect(fit('map waits for rows', 14)).toBe('map waits for…');
  expect(fit('https://maps.example.com/maps/8c1e', 12)).toBe('https://map…');
});

test('cut lines keep their colours and fit', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.boolean())), fc.integer({ min: 1, max: 60 }), (parts, width) => {
      const text = parts.map(([part, red]) => (red ? createPaint(true).red(plain(part)) : plain(part))).join('');
      const cut = fit(text, width);
      return cells(cut) <= width && cut.split('\x1b[31m').length === cut.split('\x1b[39m').length;
    }),
    { examples: [[[['! ', false]], 1]] },
  );
});

test('a preview names what the changes of the clocks do: times that are left out, that are there twice, and runs of no time that was named', () => {
  const schedule = scheduleOf.parse({ cron: '15,30 2,3 * * *', timezone: 'Europe/Berlin' });
  const preview: SchedulePreview = {
    next: [{ scheduledAt: '2027-01-01T01:15:00.000Z' }],
    clocks: [
      {
        at: '2027-03-28T01:00:00.000Z',
        byMinutes: 60,
        skipped: ['2027-03-28T02:15:00.000Z'],
        twice: [],
        lost: [],
        unnamed: [],
        unread: [],
      },
      {
        at: '2027-10-31T01:00:00.000Z',
        byMinutes: -60,
        skipped: [],
        twice: [
          { clock: '2027-10-31T02:15:00.000Z', runs: ['2027-10-31T01:15:00.000Z'] },
          { clock: '2027-10-31T02:30:00.000Z', runs: [] },
        ],
        lost: ['2027-10-31T03:15:00.000Z'],
        unnamed: ['2027-10-31T02:45:00.000Z'],
        unread: [],
      },
      { at: '2028-03-26T01:00:00.000Z', byMinutes: 60, skipped: [], twice: [], lost: [], unnamed: [], unread: [] },
    ],
  };
  expect(renderPreview(preview, schedule, noPaint)).toMatchInlineSnapshot(`
    "next runs
      2027-01-01 02:15 +01:00
      2027-03-28 clocks go forward 60 min: no run at 02:15
      2027-10-31 clocks go back 60 min: 02:15 once (+01:00), 02:30 never; no run at 03:15; a run at 03:45 +01:00, which is not named
      2028-03-26 clocks go forward 60 min: nothing is skipped
    "
  `);
});
