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
