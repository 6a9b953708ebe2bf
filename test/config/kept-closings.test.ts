import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPermits } from '../../client/permits.ts';
import { uptime } from '../../text/uptime.ts';
import { keptClosings } from '../../config/kept-closings.ts';
import { createDisk, whyNoDisks } from '../prove/support-disk.ts';

const noDisks = await whyNoDisks();

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

const marks = (): string[] => readdirSync(join(folder, 'closed')).map((name) => join(folder, 'closed', name));

test('a process that starts later keeps the waits of the one before it, by limit and gate', async () => {
  permits().closed('maps/tag', 60_000);
  permits().closed('maps/data', 30_000);
  const next = permits();
  expect(next.remaining('maps/tag')).toBeGreaterThan(59_000);
  expect(next.remaining('maps/data')).toBeGreaterThan(29_000);
  expect(next.remaining('maps/data')).toBeLessThan(31_000);
  expect((await next.reserve('maps/tag')).inMs).toBeGreaterThan(59_000);
  expect(await (await next.reserve('maps/search')).ready(0)).toBe(true);
  expect(permits('https://maps.example two').remaining('maps/tag')).toBe(0);
  expect(createPermits().remaining('maps/tag')).toBe(0);
});

test('a closing of another process holds one that runs already, and none is lost to another writer', async () => {
  const running = permits();
  expect(running.remaining('maps/p0')).toBe(0);
  const code = `
    const { createPermits } = await import(${JSON.stringify(import.meta.resolve('../../client/permits.ts'))});
    const { keptClosings } = await import(${JSON.stringify(import.meta.resolve('../../config/kept-closings.ts'))});
    const permits = createPermits({}, { kept: keptClosings(${JSON.stringify(folder)}, 'https://maps.example one') });
    for (let at = 0; at < 20; at++) permits.closed('maps/' + process.argv[1], 60_000 + at * 1_000);
    permits.closed('maps/' + process.argv[1] + 'b', 60_000);`;
  await Promise.all(['p0', 'p1', 'p2'].map((name) => promisify(execFile)(process.execPath, ['--input-type=module', '-e', code, name])));
  for (const name of ['p0', 'p1', 'p2']) {
    expect(running.remaining(`maps/${name}`)).toBeGreaterThan(60_000);
    expect(running.remaining(`maps/${name}b`)).toBeGreaterThan(30_000);
  }
  // The last closing of a process stands for those before it.
  expect(marks()).toHaveLength(6);
});

test('a shorter closing does not shorten a longer one', () => {
  permits().closed('maps/tag', 60_000);
  permits().closed('maps/tag', 1_000);
  expect(permits().remaining('maps/tag')).toBeGreaterThan(59_000);
});

test('the wall clock opens nothing, and closes for no longer than was asked', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  permits().closed('maps/tag', 60_000);
  vi.setSystemTime(Date.now() + 3_600_000);
  expect(permits().remaining('maps/tag')).toBeGreaterThan(50_000);
  // After a start of the machine there is no other clock to go by.
  const [file] = marks();
  const mark = JSON.parse(readFileSync(file!, 'utf8')) as { until: number };
  writeFileSync(file!, JSON.stringify({ ...mark, boot: 'another' }));
  expect(permits().remaining('maps/tag')).toBe(0);
  expect(marks()).toEqual([]);
  writeFileSync(file!, JSON.stringify({ ...mark, boot: 'another' }));
  vi.setSystemTime(mark.until - 7_200_000);
  expect(permits().remaining('maps/tag')).toBeGreaterThan(50_000);
  expect(permits().remaining('maps/tag')).toBeLessThan(61_000);
});

test('a folder that cannot be read or written is as good as none', () => {
  permits().closed('maps/tag', 60_000);
  const [file] = marks();
  writeFileSync(file!, '{"maps/tag":');
  expect(permits().remaining('maps/tag')).toBe(0);
  const nowhere = createPermits({}, { kept: keptClosings(file!, 'gate') });
  nowhere.closed('maps/tag', 5_000);
  expect(nowhere.remaining('maps/tag')).toBeGreaterThan(4_000);
});

test.skipIf(noDisks !== undefined)('a closing that cannot be removed when it is over ends nothing', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'hrtime'] });
  await using disk = await createDisk(folder, '1m');
  const closings = keptClosings(folder, 'gate');
  closings.add('maps/tag', uptime() + 60_000);
  expect(closings.until('maps/tag')).toBeGreaterThan(uptime());
  await disk.readOnly();
  vi.advanceTimersByTime(61_000);
  expect(closings.until('maps/tag')).toBe(0);
  await disk.show();
});

test('what is over is removed, of gates too that nobody passes any more', () => {
  permits('https://gone.example').closed('maps/tag', 1_000);
  const [over] = marks();
  writeFileSync(over!, JSON.stringify({ ...(JSON.parse(readFileSync(over!, 'utf8')) as object), at: 0 }));
  permits('https://other.example').closed('maps/data', 600_000);
  permits().closed('maps/tag', 60_000);
  expect(marks()).toHaveLength(2);
  expect(permits('https://other.example').remaining('maps/data')).toBeGreaterThan(590_000);
});
