import { describe, expect, test } from 'vitest';
import { createPaint } from '../../cli/render/paint.ts';
import { renderWhy } from '../../cli/render/why.ts';
import { explain, type WhyFacts } from '../../runs/why.ts';
import type { RunEvent } from '../../store/run-store.ts';
import { at, snapshotOf } from './support.ts';

const event = (kind: RunEvent['kind']): RunEvent => ({ at: '2026-11-21T12:00:00.000Z', step: 'rows', kind, cause: '' });
const nothing: WhyFacts = { counts: [], events: [] };
const rows = { id: 'rows', use: 'dataset.append', kind: 'sweep', status: 'failed' as const, needs: [], startedAt: at(0), endedAt: at(900) };
const rendered = (why: ReturnType<typeof explain>): string => renderWhy(why, createPaint(false));

describe('why', () => {
  test('names step, class, count, first example with request id, and remedy in five lines', () => {
    const why = explain(
      snapshotOf({
        state: 'failed',
        steps: [rows],
        error: { step: 'rows', type: 'BadInput', message: 'too many rows were refused' },
      }),
      {
        events: [event('retry'), event('failure'), event('wait')],
        counts: [
          { step: 'rows', status: 'rejected', count: 238 },
          { step: 'rows', status: 'added', count: 2_963 },
          { step: 'other', status: 'failed', count: 9 },
        ],
        example: { item: 'row 17', status: 'rejected', reason: 'id longer than 36 characters', attempts: 1, request_id: 'b7c1' },
        tolerate: { rejected: { share: 0.01 } },
      },
    );
    expect(rendered(why)).toMatchInlineSnapshot(`
      "ingest-2026-11-21-a7f3 failed in step rows after 2 failed attempts (0.9 s)
        because  too many rows were refused; 238 of 3,201 items rejected (7.4 %, tolerated 1.0 %) (BadInput)
        first    row 17: id longer than 36 characters
        request  id b7c1
        remedy   correct the source file or the step’s input, then: portolan rerun ingest-2026-11-21-a7f3 --from rows
      "
    `);
    expect(rendered(why).trimEnd().split('\n').length).toBeLessThanOrEqual(5);
  });

  test('of several troubles of the step the most frequent is shown, whichever comes first', () => {
    const counts = [
      { step: 'rows', status: 'failed', count: 2 },
      { step: 'rows', status: 'missing', count: 40 },
      { step: 'rows', status: 'changed', count: 7 },
    ];
    for (const each of [counts, counts.toReversed()]) {
      const why = explain(snapshotOf({ state: 'failed', steps: [rows], error: { step: 'rows', type: 'BadInput', message: 'no' } }), {
        events: [],
        counts: each,
      });
      expect(why.lines[0]!.text).toContain('40 of 49 items missing (82 %)');
    }
  });

  test('names call, status and request id of an API error, with what to do', () => {
    const why = explain(
      snapshotOf({
        state: 'failed',
        steps: [rows],
        error: {
          step: 'rows',
          type: 'ApiError',
          message: 'maps.data.addArrow answered 403: no',
          details: { operation: 'maps.data.addArrow', status: 403, requestId: 'r-1' },
        },
      }),
      nothing,
    );
    expect(rendered(why)).toMatchInlineSnapshot(`
      "ingest-2026-11-21-a7f3 failed in step rows (0.9 s)
        because  maps.data.addArrow answered 403: no (ApiError)
        request  maps.data.addArrow, answered 403, id r-1
        remedy   the key may not do this: use a key with the right role, or another organization in the connection, then: portolan rerun ingest-2026-11-21-a7f3 --from rows
      "
    `);
  });

  test('says which try a step is in by its onError, why the one before failed, and when the next begins', () => {
    const error = { type: 'ApiError', message: 'answered 403' };
    const { endedAt: _endedAt, ...again } = { ...rows, status: 'running' as const };
    const explained = (view: Parameters<typeof snapshotOf>[0]): string => rendered(explain(snapshotOf(view), nothing, Date.parse(at(0))));
    expect(explained({ steps: [{ ...again, retries: { now: 2, of: 4, at: at(30_000), error } }] })).toMatchInlineSnapshot(`
      "ingest-2026-11-21-a7f3 has not failed: it is running
        now      rows: 2nd try of 4 in 30 s; the 1st failed: answered 403 (ApiError)
      "
    `);
    expect(explained({ state: 'done', steps: [{ ...rows, status: 'done', retries: { now: 3, of: 4, error } }] })).toMatchInlineSnapshot(`
      "ingest-2026-11-21-a7f3 did not fail: it is done
        now      rows: 3rd try of 4; the 2nd failed: answered 403 (ApiError)
      "
    `);
    const details = { operation: 'maps.data.addArrow', status: 404, requestId: 'r-2', at: ['rows.mts:1:2'] };
    const failed = { state: 'failed' as const, steps: [{ ...rows, retries: { now: 2, of: 2, error } }] };
    const last = explain(snapshotOf({ ...failed, error: { step: 'rows', type: 'ApiError', message: 'answered 404', details } }), {
      ...nothing,
      at: ['rows.mts:1:2'],
      example: { item: 'row 1', status: 'rejected', attempts: 1 },
    });
    expect(rendered(last)).toMatchInlineSnapshot(`
      "ingest-2026-11-21-a7f3 failed in step rows (0.9 s)
        because  answered 404 (ApiError)
        at       rows.mts:1:2
        tries    rows: 2nd try of 2; the 1st failed: answered 403 (ApiError)
        remedy   something that is named there does not exist (any more) at the service: check ids and slugs, then: portolan rerun ingest-2026-11-21-a7f3 --from rows
      "
    `);
  });

  test('a remedy of the failure itself goes first', () => {
    const why = explain(
      snapshotOf({ state: 'failed', error: { type: 'ApiError', message: 'x', details: { status: 401, remedy: 'turn the key' } } }),
      nothing,
    );
    expect(why.lines.at(-1)).toEqual({ label: 'remedy', text: 'turn the key, then: portolan rerun ingest-2026-11-21-a7f3' });
  });

  test('what nobody approved is approved by the command, in the run that has the step', () => {
    const command = (run: string): string => {
      const details = { remedy: 'approve it', unapproved: { run, step: 'rows' } };
      const error = { step: 'each', type: 'NeedsApproval', message: 'x', details };
      return explain(snapshotOf({ state: 'failed', error }), nothing).lines.at(-1)!.text;
    };
    expect(command('ingest-2026-11-21-a7f3')).toBe('approve it, then: portolan rerun ingest-2026-11-21-a7f3 --accept rows --from each');
    expect(command('below-2026-11-21-b8e4')).toBe('approve it, then: portolan rerun ingest-2026-11-21-a7f3 --from each');
  });

  test('the command names the run’s file as a shell takes it', () => {
    const why = explain(snapshotOf({ state: 'failed', error: { step: 'rows', type: 'BadInput', message: 'x' } }), {
      ...nothing,
      file: "it's mine.yaml",
    });
    expect(why.lines.at(-1)!.text).toContain(`portolan rerun ingest-2026-11-21-a7f3 --from rows --file 'it'\\''s mine.yaml'`);
  });

  test('does not count again what the message counts', () => {
    const message = '238 of 3201 items rejected (7.4 %, tolerated 1.0 %)';
    const why = explain(snapshotOf({ state: 'failed', error: { step: 'rows', type: 'BadInput', message } }), {
      ...nothing,
      counts: [{ step: 'rows', status: 'rejected', count: 238 }],
    });
    expect(why.lines[0]!.text).toBe(`${message} (BadInput)`);
  });

  test('of an open run it says what limits it, of an ended one what to look at', () => {
    expect(rendered(explain(snapshotOf({ state: 'paused', paused: { who: 'ada@ship', at: at(0) } }), nothing))).toMatchInlineSnapshot(`
      "ingest-2026-11-21-a7f3 has not failed: it is paused
        now      paused by ada@ship: portolan resume ingest-2026-11-21-a7f3
      "
    `);
    expect(rendered(explain(snapshotOf({ state: 'running' }), nothing))).toMatchInlineSnapshot(`
      "ingest-2026-11-21-a7f3 has not failed: it is running
        now      nothing limits it
      "
    `);
    expect(rendered(explain(snapshotOf({ state: 'done' }), { ...nothing, counts: [{ step: 'rows', status: 'rejected', count: 2 }] })))
      .toMatchInlineSnapshot(`
      "ingest-2026-11-21-a7f3 did not fail: it is done
        now      2 items rejected in rows: portolan items ingest-2026-11-21-a7f3 --step rows --status rejected
      "
    `);
  });

  test('of an undo whose key was held it names the undo to type again, of the run that it was to take back too', () => {
    const error = { type: 'Held', message: 'k is held by run other' };
    const held = snapshotOf({ run: 'r1.undo', undoes: 'r1', state: 'refused', error });
    expect(explain(held, nothing).lines).toMatchObject([{ label: 'remedy', text: expect.stringMatching(/, then: portolan undo r1$/) }]);
    const undone = { run: 'r1.undo', state: 'refused' as const };
    expect(explain(snapshotOf({ run: 'r1', state: 'done' }), { ...nothing, undone }).lines).toEqual([
      { label: 'now', text: 'undo refused: r1.undo; what is left: portolan undo r1' },
    ]);
  });
});
