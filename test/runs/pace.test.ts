import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunksOf, paceOf } from '../../runs/pace.ts';
import { progressOf } from '../../runs/progress.ts';
import { covered, union, within, type Span } from '../../runs/spans.ts';
import { waitedOf, waitsOf } from '../../runs/waits.ts';
import type { RunEvent } from '../../store/run-store.ts';
import { at, snapshotOf, start } from './support.ts';

const chunk = (number: number, endMs: number, ms: number, items: number, bytes?: number): RunEvent => ({
  at: at(endMs),
  step: 'rows',
  kind: 'chunk',
  cause: 'attempt 1',
  chunk: number,
  items,
  ms,
  attempt: 1,
  ...(bytes === undefined ? {} : { bytes }),
});

describe('spans', () => {
  const spans = fc.array(
    fc.tuple(fc.nat(50), fc.nat(20)).map(([from, long]): Span => ({ from, to: from + long })),
    { maxLength: 12 },
  );
  const seconds = (all: readonly Span[]): Set<number> =>
    new Set(all.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index)));

  test('their union covers what they cover, once, in order and apart', () => {
    fc.assert(
      fc.property(spans, (all) => {
        const merged = union(all);
        expect(seconds(merged)).toEqual(seconds(all));
        expect(covered(all)).toBe(seconds(all).size);
        for (let index = 1; index < merged.length; index++) expect(merged[index]!.from).toBeGreaterThan(merged[index - 1]!.to);
      }),
    );
  });

  test('cut at a piece of time', () => {
    expect(
      within(
        [
          { from: 0, to: 4 },
          { from: 6, to: 9 },
          { from: 20, to: 30 },
        ],
        { from: 2, to: 8 },
      ),
    ).toEqual([
      { from: 2, to: 4 },
      { from: 6, to: 8 },
    ]);
  });
});

describe('waits by cause', () => {
  const wait = (ms: number, long: number, limit: string): RunEvent => ({
    at: at(ms),
    step: 'rows',
    kind: 'wait',
    cause: 'x',
    ms: long,
    limit,
  });

  test('overlapping waits are added up, and counted once of the run', () => {
    const events = [wait(0, 5_000, 'maps/data'), wait(1_000, 5_000, 'maps/data'), wait(0, 1_000, 'maps/tag'), chunk(1, 10, 10, 5)];
    expect(waitsOf(events).map(({ cause, calls, ms, wallMs }) => [cause, calls, ms, wallMs])).toEqual([
      ['maps/data', 2, 10_000, 6_000],
      ['maps/tag', 1, 1_000, 1_000],
    ]);
  });

  test('one that still goes on counts until now', () => {
    expect(waitedOf([wait(0, 60_000, 'maps/data')], start + 4_000)).toEqual(new Map([['maps/data', 4_000]]));
  });

  test('waits of one reason are one cause, whatever their rest', () => {
    const named = (cause: string): RunEvent => ({ at: at(0), step: 'rows', kind: 'wait', cause, ms: 1 });
    expect(waitsOf([named('closed for 5 s'), named('closed for 4.8 s')])).toMatchObject([{ cause: 'closed for …', calls: 2 }]);
  });
});

describe('pace of a sweep', () => {
  test('bins add up to what the chunks did, whatever their times', () => {
    const chunks = fc.array(fc.tuple(fc.nat(60_000), fc.nat(10_000), fc.nat(5_000), fc.nat(1_000_000)), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(chunks, (drawn) => {
        const events = drawn.map(([end, ms, items, bytes], index) => chunk(index, end, ms, items, bytes));
        const pace = paceOf('rows', events)!;
        const items = drawn.reduce((sum, each) => sum + each[2], 0);
        const sum = (rates: readonly number[]): number => rates.reduce((total, rate) => total + (rate * pace.binMs) / 1_000, 0);
        expect(pace.items).toBe(items);
        expect(sum(pace.itemsPerSecond)).toBeCloseTo(items, 3);
        expect(pace.cumulative.at(-1)).toBeCloseTo(items, 3);
        expect(sum(pace.bytesPerSecond ?? [])).toBeCloseTo(pace.bytes ?? 0, 1);
        expect(pace.itemsPerSecond.length).toBeLessThanOrEqual(300);
        expect(pace.durations).toEqual(drawn.map((each) => each[1]).toSorted((a, b) => a - b));
      }),
    );
  });

  test('a thousand chunks stay few points', () => {
    const events = Array.from({ length: 1_000 }, (_, index) => chunk(index, 1_000 + index * 600, 900, 3_000));
    expect(paceOf('rows', events)!.itemsPerSecond.length).toBeLessThanOrEqual(300);
  });

  test('a chunk written twice counts once, by its last line', () => {
    expect(chunksOf([chunk(1, 1_000, 10, 5), chunk(2, 1_500, 10, 5), chunk(1, 9_000, 20, 5)]).get('rows')).toEqual([
      chunk(1, 9_000, 20, 5),
      chunk(2, 1_500, 10, 5),
    ]);
  });
});

describe('progress of one look', () => {
  const view = snapshotOf({
    steps: [
      {
        id: 'rows',
        use: 'dataset.append',
        kind: 'sweep',
        status: 'running',
        needs: [],
        startedAt: at(0),
        progress: { done: 60_000, total: 200_000, unit: 'items', bytes: 6_000_000 },
      },
    ],
  }).view;

  test('the rate is that of the last chunks', () => {
    const events = [chunk(0, 1_000, 900, 50_000, 5_000_000), chunk(1, 90_000, 900, 5_000, 500_000), chunk(2, 95_000, 900, 5_000, 500_000)];
    expect(progressOf(view, events, start + 100_000)).toMatchObject({
      rows: {
        done: 60_000,
        total: 200_000,
        unit: 'items',
        perSecond: 10_000 / 15,
        bytes: 6_000_000,
        bytesPerSecond: 1_000_000 / 15,
        etaMs: 210_000,
      },
    });
  });

  test('without any it is the mean since the step began', () => {
    expect(progressOf(view, [], start + 60_000)['rows']).toMatchObject({ perSecond: 1_000, etaMs: 140_000 });
  });
});
