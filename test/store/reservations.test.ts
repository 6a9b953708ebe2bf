import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openCaps } from '../../activities/agent/caps.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { openReservations } from '../../store/reservations.ts';

const root = mkdtempSync(join(tmpdir(), 'portolan-reservations-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const store = (run: string) => createRunStore(join(root, run));

test('what was set aside is given back, and what was spent is not, whoever gives it back', async () => {
  const held = await openReservations(store('held'), 'ask', 1);
  held.reserve('a', 0.6);
  held.release('a');
  expect(held.reserve('b', 0.6)).toBe('reserved');
  held.commit('b', 0.6);
  held.release('b');
  expect(held.reserve('c', 0.5)).toBe('never');
  held.close();
  // Another process finds the same.
  const again = await openReservations(store('held'), 'ask', 1);
  expect([again.reserve('c', 0.5), again.reserve('d', 0.4)]).toEqual(['never', 'reserved']);
  again.settle('d');
  again.release('d');
  expect(again.reserve('e', 0.1)).toBe('never');
  again.close();
});

test('an item that one cap refuses is set aside under no other', async () => {
  const run = store('both');
  const one = (await openCaps({ cap: { item: 1, total: 1, run: 2.5 } }, { store: run, step: 'one' }))!;
  const two = (await openCaps({ cap: { item: 1, run: 2.5 } }, { store: run, step: 'two' }))!;
  expect([one.reserve('a'), one.reserve('b'), two.reserve('a'), two.reserve('b')]).toEqual(['reserved', 'wait', 'reserved', 'wait']);
  one.close();
  two.close();
});

test('what is set aside for an item stays while it goes on, and while it may not what it has spent is all that counts', async () => {
  const held = await openReservations(store('further'), 'ask', 2);
  held.reserve('a', 1);
  held.reserve('b', 1);
  expect(held.extend('a', 0.4, 1)).toBe('reserved');
  // More than was set aside for it: with what a may cost yet that is more than the cap.
  held.commit('b', 1.2);
  expect(held.extend('a', 0.5, 1)).toBe('never');
  expect([held.reserve('c', 0.4), held.reserve('d', 0.3)]).toEqual(['never', 'reserved']);
  held.commit('d', 0);
  expect(held.extend('a', 0.5, 0.8)).toBe('reserved');
  expect(held.extend('a', 0.8, 0.8)).toBe('never');
  held.close();
});

test('an item that one cap lets go on no further is set aside under no other', async () => {
  const run = store('both-further');
  const one = (await openCaps({ cap: { item: 1, total: 2, run: 2.5 } }, { store: run, step: 'one' }))!;
  const two = (await openCaps({ cap: { item: 1, run: 2.5 } }, { store: run, step: 'two' }))!;
  expect([one.reserve('a'), two.reserve('a')]).toEqual(['reserved', 'reserved']);
  two.commit('a', 1.8);
  expect(one.extend('a', 0.5)).toBe('never');
  // Of its own cap in total only what it has spent is gone.
  const own = await openReservations(run, 'one', 2);
  expect([own.reserve('b', 1.6), own.reserve('c', 1.5)]).toEqual(['never', 'reserved']);
  own.close();
  one.close();
  two.close();
});

test('what a step has spent in an earlier run is counted by other names at once: who reserves finds it by the ones or by the others', async () => {
  const run = store('named-anew');
  const [held, other] = [await openReservations(run, '$run', 1), await openReservations(run, '$run', 1)];
  held.carry(new Map([['earlier north', 0.6]]), 'earlier');
  const seen: number[] = [];
  const counted = function* () {
    seen.push(other.amounts().get('earlier north') ?? 0);
    yield { item: 'north 1', amount: 0.4, underWay: false };
    seen.push(other.amounts().get('north 1') ?? 0);
    yield { item: 'north 2', amount: 0.3, underWay: true };
  };
  held.exchange(['earlier north'], counted());
  expect(seen).toEqual([0.6, 0]);
  expect([other.reserve('south 1', 0.4), other.reserve('south 1', 0.3)]).toEqual(['wait', 'reserved']);
  held.commit('north 2', 0.1);
  // An attempt that comes again changes nothing of an item that has gone on.
  held.exchange(['earlier north'], [{ item: 'north 2', amount: 0.3, underWay: true }]);
  expect([...other.amounts()].filter(([item]) => item.startsWith('north'))).toEqual([
    ['north 1', 0.4],
    ['north 2', 0.1],
  ]);
  held.close();
  other.close();
});
