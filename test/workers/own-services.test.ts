import { expect, test } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { createOwnServices } from '../../workers/own-services.ts';
import { configured } from '../config/support.ts';

test('an address counts to the longest limit that is a beginning of it by whole segments, else to its origin', async () => {
  const limit = { count: 1, seconds: 1 };
  const limits = { 'https://crm.example': limit, 'https://crm.example/search': limit, 'https://crm.example/search/deep/': limit };
  const { limitOf } = createOwnServices(await loadConfig(configured({ limits })), []);
  const of = (url: string): string => limitOf(new URL(url));
  expect(of('https://crm.example/people')).toBe('https://crm.example');
  expect(of('https://crm.example/search')).toBe('https://crm.example/search');
  expect(of('https://crm.example/search?q=1')).toBe('https://crm.example/search');
  expect(of('https://crm.example/search/one')).toBe('https://crm.example/search');
  expect(of('https://crm.example/search/deep/one')).toBe('https://crm.example/search/deep/');
  expect(of('https://crm.example/searches')).toBe('https://crm.example');
  expect(of('https://other.example/search')).toBe('https://other.example');
});
