import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { whenHeld, type Asker, type LockRun, type WhenHeld } from '../../pipelines/lock.ts';
import { lastEffectMs, silentInMs } from '../../pipelines/last-effect.ts';
import { isDue, isIdle, reduceLock, type LockCommand, type LockEvent, type LockState } from '../../workflows/lock/reduce.ts';

const at = '2026-11-23T12:00:00.000Z';
const run = (name: string): LockRun => ({ run: name, workflowId: name, firstRunId: `first-${name}`, who: 'ada@ship' });
const asks = (name: string, when: WhenHeld = 'queue'): LockEvent => ({ is: 'ask', asker: { ...run(name), when } });
const ends = (name: string): LockEvent => ({ is: 'release', firstRunId: `first-${name}` });
const goesOn = (name: string): LockEvent => ({ is: 'open', firstRunId: `first-${name}` });

const after = (...events: LockEvent[]): { state: LockState; last: LockCommand[] } => {
  const state: LockState = { waiting: [] };
  let last: LockCommand[] = [];
  for (const event of events) last = reduceLock(state, event, at);
  return { state, last };
};
const holder = (name: string) => ({ ...run(name), since: at });

describe('a lock', () => {
  test('that nobody holds is given to who asks', () => {
    expect(after(asks('a'))).toEqual({ state: { holder: holder('a'), waiting: [] }, last: [{ do: 'grant', to: run('a') }] });
  });

  test('answers its holder again, whose first answer may be lost, and does not let it wait for itself', () => {
    expect(after(asks('a'), asks('a'))).toEqual({ state: { holder: holder('a'), waiting: [] }, last: [{ do: 'grant', to: holder('a') }] });
    const twice = after(asks('a'), asks('b'), asks('b'));
    expect(twice.state.waiting).toHaveLength(1);
    expect(twice.last).toEqual([]);
  });

  test('goes to the next one when its holder has ended, and is idle after the last', () => {
    const { state, last } = after(asks('a'), asks('b'), asks('c'), ends('a'));
    expect(last).toEqual([{ do: 'grant', to: run('b') }]);
    expect(state.waiting.map((each) => each.run)).toEqual(['c']);
    expect(isIdle(after(asks('a'), asks('b'), ends('b'), ends('a')).state)).toBe(true);
  });

  test('looks at its holder before it refuses a run, and refuses it only where that goes on', () => {
    const asked = after(asks('a'), asks('b', 'reject'));
    expect(asked.last).toEqual([]);
    expect(isDue(asked.state)).toBe(true);
    expect(after(asks('a'), asks('b', 'reject'), goesOn('a')).last).toEqual([
      { do: 'refuse', to: { ...run('b'), when: 'reject' }, holder: holder('a') },
    ]);
    expect(after(asks('a'), asks('b', 'reject'), ends('a')).last).toEqual([{ do: 'grant', to: run('b') }]);
    // The look was at a run that has ended since.
    expect(after(asks('a'), asks('c'), asks('b', 'reject'), ends('a'), goesOn('a')).last).toEqual([]);
    expect(isDue(after(asks('a'), asks('b')).state)).toBe(false);
  });

  test('cancels its holder, and those that wait, for a run that cancels older ones', () => {
    const { state, last } = after(asks('a'), asks('b'), asks('c', 'cancelOlder'));
    expect(last).toEqual(
      ['a', 'b'].map((name) => ({ do: 'cancel', run: expect.objectContaining(run(name)), for: { ...run('c'), when: 'cancelOlder' } })),
    );
    expect(state).toMatchObject({ holder: { run: 'a' }, waiting: [{ run: 'c' }] });
  });

  test('cancels no run that takes another one back, whether that holds it or waits', () => {
    const undoes = (name: string): LockEvent => ({ is: 'ask', asker: { ...run(name), when: 'queue', undoes: true } });
    const held = after(undoes('a'), asks('b'), asks('c', 'cancelOlder'));
    expect(held.last).toMatchObject([{ do: 'cancel', run: { run: 'b' } }]);
    expect(held.state).toMatchObject({ holder: { run: 'a' }, waiting: [{ run: 'c' }] });
    const waits = after(asks('a'), undoes('b'), asks('c', 'cancelOlder'));
    expect(waits.last).toMatchObject([{ do: 'cancel', run: { run: 'a' } }]);
    expect(waits.state.waiting.map((each) => each.run)).toEqual(['b', 'c']);
  });
});

test('never two runs hold it, nobody is lost, and they come in the order in which they asked', () => {
  const names = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ does: fc.constant('ask' as const), who: names, when: fc.constantFrom<WhenHeld>(...whenHeld) }) },
    { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('end' as const, 'look' as const), who: names }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const state: LockState = { waiting: [] };
      /** A run: asked at a place in the order, then granted, refused, cancelled or ended. */
      const order: string[] = [];
      const is = new Map<string, 'waits' | 'holds' | 'over'>();
      const begins: string[] = [];
      const cancelled = new Set<string>();
      const take = (commands: LockCommand[]): void => {
        for (const command of commands) {
          if (command.do === 'cancel') {
            cancelled.add(command.run.run);
            if (is.get(command.run.run) === 'waits') is.set(command.run.run, 'over');
            continue;
          }
          const { run: name } = command.to;
          if (command.do === 'refuse') {
            expect(is.get(name)).toBe('waits');
            expect(is.get(command.holder.run)).toBe('holds');
            is.set(name, 'over');
          } else if (is.get(name) !== 'holds') {
            expect(is.get(name)).toBe('waits');
            expect([...is.values()]).not.toContain('holds');
            is.set(name, 'holds');
            begins.push(name);
          }
        }
      };
      for (const { who, ...does } of steps) {
        if (does.does === 'ask') {
          // A run that is over asks no more.
          if (is.get(who) === 'over') continue;
          if (!is.has(who)) {
            is.set(who, 'waits');
            order.push(who);
          }
          take(reduceLock(state, { is: 'ask', asker: { ...run(who), when: (does as { when: WhenHeld }).when } satisfies Asker }, at));
        } else if (does.does === 'end') {
          if (is.has(who)) is.set(who, 'over');
          take(reduceLock(state, ends(who), at));
        } else take(reduceLock(state, is.get(who) === 'holds' ? goesOn(who) : ends('nobody'), at));
        const holding = [...is].filter(([, now]) => now === 'holds').map(([name]) => name);
        expect(state.holder ? [state.holder.run] : []).toEqual(holding);
        expect(state.waiting.map((each) => each.run)).toEqual(order.filter((name) => is.get(name) === 'waits'));
        expect(state.holder === undefined && state.waiting.length > 0).toBe(false);
      }
      expect(begins).toEqual(order.filter((name) => begins.includes(name)));
    }),
    { numRuns: 2_000 },
  );
});

test('nothing is waited for after a run that ended by itself, whose word was lost; after one that was terminated, until its last call has arrived', () => {
  const now = Date.parse(at);
  const seen = { open: false, closed: new Date(now - 1_000).toISOString() };
  expect(silentInMs({ ...seen, byItself: true }, now)).toBe(0);
  expect(silentInMs(seen, now)).toBe(lastEffectMs - 1_000);
  expect(silentInMs(seen, now + 60_000)).toBe(0);
  expect(silentInMs({ open: false }, now)).toBe(lastEffectMs);
});
