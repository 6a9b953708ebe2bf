import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAlive } from '../../config/identity.ts';
import { spawnOwn, tail } from '../../dev/processes.ts';
import type { Identity } from '../../config/identity.ts';
import { temporaryFolder, until } from './support.ts';

type Ready = { child: Identity };

const start = (mode: string) => {
  const log = join(temporaryFolder(), 'log');
  return { log, own: spawnOwn<Ready>({ entry: 'test/dev/fixtures/process', args: [mode], log }) };
};

test('a process ends in order on SIGTERM', async () => {
  const { own } = start('orderly');
  await own.ready;
  expect(isAlive(own)).toBe(true);
  expect(await own.stop(60_000)).toEqual({ code: 0, signal: null });
  expect(isAlive(own)).toBe(false);
});

test('one that ignores SIGTERM is killed after its grace, and what it started with it', async () => {
  const { own } = start('stubborn');
  const { child } = await own.ready;
  expect(isAlive(child)).toBe(true);
  expect(await own.stop(100)).toEqual({ code: null, signal: 'SIGKILL' });
  await until(() => !isAlive(child), 'the child is dead');
});

test('what a crashed process had started ends with it', async () => {
  const { own } = start('stubborn');
  const { child } = await own.ready;
  process.kill(own.pid, 'SIGKILL');
  await own.exited;
  await until(() => !isAlive(child), 'the child is dead');
});

test('one that ends before it is ready fails with its last words', async () => {
  const { own, log } = start('broken');
  await expect(own.ready).rejects.toThrow(/ended before it was ready \(exit 7\)[^]*the pump is dry/);
  expect(readFileSync(log, 'utf8')).toContain('the pump is dry');
  expect(tail(log, 1)).toBe('the pump is dry');
});
