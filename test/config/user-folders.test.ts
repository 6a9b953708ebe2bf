import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cacheFolder, stateFolder } from '../../config/user-folders.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'portolan-user-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true, force: true });
});

test.each([
  ['state', stateFolder, 'XDG_STATE_HOME', ['.local', 'state']],
  ['cache', cacheFolder, 'XDG_CACHE_HOME', ['.cache']],
] as const)('the %s folder is where its variable says, else below the home folder', (_, folder, variable, below) => {
  vi.stubEnv('HOME', dir);
  vi.stubEnv(variable, join(dir, 'asked'));
  expect(folder()).toBe(join(dir, 'asked', 'portolan'));
  for (const none of [undefined, '', 'not/absolute']) {
    vi.stubEnv(variable, none);
    expect(folder(), String(none)).toBe(join(dir, ...below, 'portolan'));
  }
  expect(existsSync(join(homedir(), ...below, 'portolan')), 'it is made').toBe(true);
});

/** As Node has it for a user id without an entry in the password file, in containers, and without HOME. */
const homeless = `data:text/javascript,
import os from 'node:os';
import { syncBuiltinESMExports } from 'node:module';
os.homedir = () => { throw new Error('uv_os_homedir returned ENOENT (no such file or directory)'); };
syncBuiltinESMExports();`;

test('a user without a home folder has commands all the same', () => {
  const bin = fileURLToPath(new URL('../../cli/bin.ts', import.meta.url));
  const env = { PATH: process.env['PATH'], TMPDIR: dir };
  const run = (...args: string[]): string =>
    execFileSync(process.execPath, ['--import', homeless, bin, ...args], { cwd: dir, env, encoding: 'utf8' });
  expect(run('--version')).toMatch(/^\d+\.\d+\.\d+/);
  expect(run('steps')).toContain('dataset.append');
});
