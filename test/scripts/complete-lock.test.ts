import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { completeLock, type Lock } from '../../scripts/complete-lock.ts';
import { root } from '../../scripts/sources.mjs';

const lockWith = (optionalDependencies: Record<string, string>, more: Lock['packages'] = {}): Lock => ({
  packages: { '': {}, 'node_modules/tool': { version: '1.0.0', license: 'MIT', dev: true, optionalDependencies }, ...more },
});

test('adds an entry for each optional package that the lock mentions and does not hold', () => {
  const { lock, added } = completeLock(lockWith({ '@tool/binding-linux-arm64-musl': '1.0.0', '@tool/win32-x64': '1.0.0' }));
  expect(added).toEqual(['@tool/binding-linux-arm64-musl@1.0.0', '@tool/win32-x64@1.0.0']);
  expect(lock.packages['node_modules/@tool/binding-linux-arm64-musl']).toEqual({
    version: '1.0.0',
    os: ['linux'],
    cpu: ['arm64'],
    libc: ['musl'],
    dev: true,
    license: 'MIT',
    optional: true,
  });
  expect(lock.packages['node_modules/@tool/win32-x64']).toMatchObject({ os: ['win32'], cpu: ['x64'] });
});

test('takes an entry beside the package that wants it for present', () => {
  expect(
    completeLock(lockWith({ 'tool-linux-x64': '1.0.0' }, { 'node_modules/tool/node_modules/tool-linux-x64': { version: '1.0.0' } })).added,
  ).toEqual([]);
});

test('drops registry addresses', () => {
  const { lock } = completeLock(lockWith({}, { 'node_modules/other': { version: '2.0.0', resolved: 'https://registry.test/other.tgz' } }));
  expect(JSON.stringify(lock)).not.toContain('registry.test');
});

test('refuses a range and a name without platform: a guess would break npm ci elsewhere', () => {
  expect(() => completeLock(lockWith({ 'tool-linux-x64': '^1.0.0' }))).toThrow(/range/);
  expect(() => completeLock(lockWith({ fsevents: '2.0.0' }))).toThrow(/platform/);
});

test('the committed lock is complete and names no registry', () => {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
  expect(completeLock(JSON.parse(text) as Lock).added).toEqual([]);
  expect(text).not.toContain('"resolved": "http');
});
