import { expect, test } from 'vitest';
import { watchId, type RunEnd, type ScheduleNews, type Watched } from '../../pipelines/notify.ts';
import { expectedFrom, lateRule, waits, whenEnded, whenScheduled } from '../../workflows/watched.ts';

const notify = { on: [], to: ['ops'], lateMs: 1_000 };
const at = (minute: number): string => new Date(minute * 60_000).toISOString();
const run = { id: 'tide', pipeline: 'tide', store: 'file:///tide', baseDir: '/', host: 'here' };
const ended = (state: RunEnd['state'], minute: number): RunEnd => ({
  run,
  state,
  notify,
  at: at(minute),
  workflow: { id: 'tide', runId: 'tide' },
});
const news = (is: ScheduleNews['is'], minute: number): ScheduleNews => ({ is, at: at(minute), schedule: 'tide', run, notify });
const after = (...all: (RunEnd | ScheduleNews)[]): Watched =>
  all.reduce<Watched | undefined>((knows, each) => ('is' in each ? whenScheduled(knows, each) : whenEnded(knows, each)), undefined)!;
const from = (...all: (RunEnd | ScheduleNews)[]): string | undefined => expectedFrom(after(...all))?.at;

test('a run is expected since the last one that was done, or since its schedule is due, whichever came last', () => {
  expect(from(ended('failed', 1), ended('failed', 2))).toBe(at(1));
  expect(from(ended('failed', 1), ended('done', 2), ended('failed', 3))).toBe(at(2));
  expect(from(news('due', 1))).toBe(at(1));
  expect(from(news('due', 1), ended('failed', 2))).toBe(at(1));
  expect(from(news('due', 1), ended('done', 2))).toBe(at(2));
  expect(from(ended('done', 1), news('due', 2))).toBe(at(2));
  // Whoever applies it each day puts nothing off.
  expect(from(news('due', 1), news('due', 3))).toBe(at(1));
});

test('while a schedule is paused none is expected, whoever starts some, and once it is gone not before the next one has ended', () => {
  expect(from(news('due', 1), news('paused', 2), ended('done', 3))).toBeUndefined();
  expect(from(news('due', 1), news('paused', 2), news('due', 4))).toBe(at(4));
  expect(from(news('due', 1), ended('done', 2), news('gone', 3))).toBeUndefined();
  expect(from(news('due', 1), news('gone', 3), ended('done', 4))).toBe(at(4));
});

test('a watch goes on while a schedule may go on, and ends with it', () => {
  expect(waits(after(news('due', 1)))).toBe(true);
  expect(waits(after(news('due', 1), news('paused', 2)))).toBe(true);
  expect(waits(after(news('due', 1), news('gone', 2)))).toBe(false);
  const recovers = { ...ended('failed', 2), notify: { ...notify, on: ['recovered' as const] } };
  expect(waits(after(news('due', 1), recovers, news('gone', 3)))).toBe(true);
});

test('a run without `late` takes none from a schedule that has it, until the schedule is gone', () => {
  const without: RunEnd = { ...ended('done', 2), notify: { on: ['failed'], to: ['night'] } };
  for (const is of ['due', 'paused'] as const) {
    expect(waits(after(news(is, 1), without))).toBe(true);
    expect(lateRule(after(news(is, 1), without))).toEqual(notify);
  }
  expect(waits(after(news('due', 1), without, news('gone', 3)))).toBe(false);
  expect(waits(after(without))).toBe(false);
  // Of a schedule that has none, what the run says.
  expect(lateRule(after({ ...news('due', 1), notify: without.notify }, ended('done', 2)))).toEqual(notify);
});

test('that a schedule is late is told once, and once more only after it was paused', () => {
  const late = { ...after(news('due', 1)), late: true };
  expect(whenScheduled(late, news('due', 2)).late).toBe(true);
  expect(whenEnded(late, ended('failed', 2)).late).toBe(true);
  expect(whenEnded(late, ended('done', 2)).late).toBe(false);
  expect(whenScheduled(whenScheduled(late, news('paused', 2)), news('due', 3)).late).toBe(false);
});

test('runs are watched together that are of one pipeline, in one environment and by the same connections', () => {
  const tide = { pipeline: 'tide', connections: { maps: 'prod', instance: 'local' } };
  expect(watchId('q', tide)).toBe('portolan/watch/q/tide/instance=local/maps=prod');
  expect(watchId('q', { ...tide, connections: { instance: 'local', maps: 'prod' } })).toBe(watchId('q', tide));
  expect(watchId('q', { ...tide, environment: 'prod', connections: {} })).toBe('portolan/watch/q/tide@prod');
});
