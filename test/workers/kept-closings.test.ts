import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPermits } from '../../client/permits.ts';
import { keptClosings } from '../../workers/kept-closings.ts';

let folder: string;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  folder = mkdtempSync(join(tmpdir(), 'portolan-closed-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const permits = (gate = 'https://maps.example one') => createPermits({}, { kept: keptClosings(folder, gate) });

test('a process that starts later waits as the one before it was told, by limit and service', async () => {
  permits().closed('maps/tag', 60_000);
  permits().closed('maps/data', 30_000);
  const next = permits();
  expect(next.remaining('maps/tag')).toBeGreaterThan(59_000);
  expect(next.remaining('maps/data')).toBeGreaterThan(29_000);
  expect(next.remaining('maps/data')).toBeLessThan(31_000);
  expect((await next.take('maps/tag'))?.waitMs).toBeGreaterThan(59_000);
  expect(await next.take('maps/search')).toBeUndefined();
  expect(permits('https://maps.example two').remaining('maps/tag')).toBe(0);
  expect(createPermits().remaining('maps/tag')).toBe(0);
});

test('a shorter closing does not shorten a longer one, and what is over is over', () => {
  permits().closed('maps/tag', 60_000);
  permits().closed('maps/tag', 1_000);
  expect(permits().remaining('maps/tag')).toBeGreaterThan(59_000);
  vi.setSystemTime(Date.now() + 61_000);
  expect(permits().remaining('maps/tag')).toBe(0);
});

test('a clock that was set back closes for no longer than was said', () => {
  permits().closed('maps/tag', 2_000);
  vi.setSystemTime(Date.now() - 3_600_000);
  expect(permits().remaining('maps/tag')).toBeLessThanOrEqual(2_100);
});

test('a file that cannot be read or written is as good as none', () => {
  permits().closed('maps/tag', 60_000);
  const [name] = readdirSync(join(folder, 'closed'));
  writeFileSync(join(folder, 'closed', name!), '{"maps/tag":');
  expect(permits().remaining('maps/tag')).toBe(0);
  const nowhere = createPermits({}, { kept: keptClosings(join(folder, 'closed', name!), 'gate') });
  nowhere.closed('maps/tag', 5_000);
  expect(nowhere.remaining('maps/tag')).toBeGreaterThan(4_000);
});
