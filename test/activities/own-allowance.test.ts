import { expect, test } from 'vitest';
import { createAllowance } from '../../activities/own/allowance.ts';

const own = { name: 'acme.look', operations: { 'maps.projects.get': 2, 'maps.data.get': 'perItem' } } as const;

test('an attempt calls what its step lists, as often as the step says', () => {
  const whole = createAllowance(own, 'whole');
  whole('maps.projects.get');
  whole('maps.projects.get');
  expect(() => whole('maps.projects.get')).toThrow('acme.look calls maps.projects.get more often than its `operations` say (2 in all)');
  expect(() => whole('maps.data.get')).toThrow('(once for each item)');
  expect(() => whole('maps.user.get')).toThrow('acme.look calls maps.user.get, which is none of its `operations`');
});

test('each item has a count of its own, and so has each attempt', () => {
  for (const attempt of [createAllowance(own, 'item'), createAllowance(own, 'item')]) {
    attempt('maps.data.get');
    expect(() => attempt('maps.data.get')).toThrow('(once for each item)');
    expect(() => attempt('maps.projects.get')).toThrow('(2 in all)');
  }
});

test('a list says nothing about how often', () => {
  const calls = createAllowance({ name: 'acme.look', operations: ['maps.user.get'] }, 'whole');
  for (let at = 0; at < 100; at++) calls('maps.user.get');
  expect(() => calls('maps.data.get')).toThrow('none of its `operations`');
});
