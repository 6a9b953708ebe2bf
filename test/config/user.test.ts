import { hostname } from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import { who } from '../../config/user.ts';

afterEach(() => vi.unstubAllEnvs());

test('who acts: by option, by variable, by system', () => {
  vi.stubEnv('PORTOLAN_USER', 'ana');
  expect(who('bea')).toBe('bea');
  expect(who()).toBe('ana');
  vi.stubEnv('PORTOLAN_USER', '');
  expect(who()).toMatch(new RegExp(`^.+@${hostname()}$`));
});
