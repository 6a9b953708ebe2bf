import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { identify, isAlive } from '../../config/identity.ts';
import { until } from './support.ts';

test('a process is itself, and another start time is another process', () => {
  const self = identify(process.pid);
  expect(self?.pid).toBe(process.pid);
  expect(isAlive(self)).toBe(true);
  expect(isAlive({ pid: process.pid, startTime: `${self?.startTime}0` })).toBe(false);
});

test('an ended process is not alive', async () => {
  const child = spawn('sleep', ['600']);
  const identity = identify(child.pid ?? 0);
  expect(isAlive(identity)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(identity).toBeDefined();
  expect(isAlive(identity)).toBe(false);
});

test.runIf(process.platform === 'linux')('a zombie is not alive, though its number still takes signals', async () => {
  // `exec` leaves a parent that never waits for the child it inherited.
  const parent = spawn('sh', ['-c', 'exec 3<&0; sh -c "read line <&3" & echo $!; exec sleep 600']);
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = (await once(createInterface(parent.stdout), 'line')) as [string];
  const pid = Number(line);
  await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8').startsWith('sleep'), 'the shell has gone');
  expect(identify(pid)?.pid).toBe(pid);
  parent.stdin.write('\n');
  await until(() => / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')), 'the child is a zombie');
  expect(() => process.kill(pid, 0)).not.toThrow();
  expect(identify(pid)).toBeUndefined();
});
