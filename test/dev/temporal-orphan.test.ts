import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { identify, isAlive } from '../../config/identity.ts';
import { startTemporal } from '../../dev/temporal/server.ts';
import { temporalFiles, writeJsonFile } from '../../dev/temporal/files.ts';
import type { TemporalRecord } from '../../dev/temporal/files.ts';
import { sharedTemporal, temporaryFolder } from './support.ts';

test('a stranger that got the number of an earlier server is left alone', async () => {
  const dir = temporaryFolder();
  const stranger = spawn('sleep', ['600']);
  onTestFinished(() => void stranger.kill('SIGKILL'));
  const identity = identify(stranger.pid ?? 0);
  if (identity === undefined) throw new Error('sleep did not start');
  const gone = { ...identity, startTime: 'earlier' };
  writeJsonFile(temporalFiles(dir).record, {
    watcher: gone,
    server: gone,
    address: '127.0.0.1:1',
    stopping: false,
  } satisfies TemporalRecord);
  const server = await startTemporal({ dir, binary: await sharedTemporal(), headless: true });
  await server.stop();
  expect(isAlive(identity)).toBe(true);
});
