import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { resolveService } from '../../config/connections.ts';
import type { DevFile } from '../../config/dev-file.ts';
import { identify } from '../../config/identity.ts';
import { loadConfig } from '../../config/load.ts';
import { configured, project } from './support.ts';

afterEach(() => vi.unstubAllEnvs());

const maps = (secret: unknown, more: object = {}) => ({
  connections: { prod: { maps: { url: 'https://maps.example/', secret, ...more } } },
});

const resolve = async (folder: string, name?: string) => resolveService(await loadConfig(folder), 'maps', name);

/** `dev.json` of a `dev` that this process is. */
export const devFile = (changes: Partial<DevFile> = {}): DevFile => ({
  version: 1,
  ...(identify(process.pid) ?? { pid: 0, startTime: '' }),
  temporal: { address: '127.0.0.1:7233', namespace: 'default', uiUrl: 'http://127.0.0.1:8233', source: 'path', forced: false },
  service: {
    url: 'http://127.0.0.1:7411',
    keyFiles: { maps: '.portolan/service/maps-admin-key', instance: '.portolan/service/instance-admin-key' },
    control: false,
    pid: 1,
    startTime: 'x',
  },
  startedAt: '2026-01-01T00:00:00Z',
  ...changes,
});

test('a connection has its URL, limits, subject and settle time', async () => {
  vi.stubEnv('KEY', 'sk-1');
  const open = await resolve(
    configured(maps({ env: 'KEY' }, { organization: 'acme', limits: { 'maps/tag': { count: 60, seconds: 60 } } })),
    'prod',
  );
  expect(open).toMatchObject({
    name: 'prod',
    hosted: true,
    url: 'https://maps.example',
    organization: 'acme',
    limits: { 'maps/tag': { count: 60, seconds: 60 } },
    tuning: { settleMs: 75_000, lagMs: 60_000 },
  });
  expect(await open.token()).toBe('sk-1');
  vi.stubEnv('KEY', 'sk-2');
  expect(await open.token()).toBe('sk-2');
});

test('a service on this machine is not hosted and settles sooner', async () => {
  const folder = configured(maps({ env: 'KEY' }, { url: 'http://127.0.0.1:7411' }));
  expect(await resolve(folder, 'prod')).toMatchObject({ hosted: false, tuning: { settleMs: 1_000 } });
});

test('a key file is read when only its owner may read it', async () => {
  const folder = configured(maps({ file: 'secrets/key' }), { 'secrets/key': 'sk-file\n' });
  const file = join(folder, 'secrets/key');
  const open = await resolve(folder, 'prod');
  for (const mode of [0o644, 0o640, 0o604, 0o620]) {
    chmodSync(file, mode);
    const refused = open.token();
    await expect(refused).rejects.toMatchObject({
      message: `connections.prod.maps.secret: ${file} may be read or written by other users (mode ${(statSync(file).mode & 0o777).toString(8)})`,
      remedy: `chmod 600 ${file}`,
    });
    await expect(refused).rejects.not.toThrow(/sk-file/);
  }
  chmodSync(file, 0o600);
  expect(await open.token()).toBe('sk-file');
});

test.each<[string, unknown, string, Record<string, string>]>([
  ['an unset variable', { env: 'KEY_THAT_NOBODY_SET' }, 'the environment variable KEY_THAT_NOBODY_SET is not set', {}],
  ['an absent file', { file: 'key' }, 'there is no file', {}],
  ['an empty file', { file: 'key' }, 'is empty', { key: '\n' }],
  ['a file with more than a key', { file: 'key' }, 'holds more than one word', { key: 'canary canary' }],
  ['a key with a space that is not seen', { file: 'key' }, '/key holds the character U+200B', { key: 'canary\u200b' }],
  ['a key in quotation marks', { file: 'key' }, '/key holds the character U+201C', { key: '“canary”' }],
])('%s is reported by its field, without a value', async (_, secret, message, files) => {
  const folder = configured(maps(secret), files);
  if ('key' in files) chmodSync(join(folder, 'key'), 0o600);
  const open = await resolve(folder, 'prod');
  const refused = open.token();
  await expect(refused).rejects.toThrow(`connections.prod.maps.secret: `);
  await expect(refused).rejects.toThrow(message);
  await expect(refused).rejects.not.toThrow(/canary/);
});

test('an unknown connection is answered with the nearest', async () => {
  await expect(resolve(configured(maps({ env: 'KEY' })), 'prdo')).rejects.toMatchObject({
    message: expect.stringContaining("did you mean 'prod'?"),
    remedy: 'known connections: prod, local',
  });
});

test('local is used only where it is named', async () => {
  await expect(resolve(project())).rejects.toThrow('no connection is named');
});

test('local is the service of the dev that lives', async () => {
  const folder = project({ '.portolan/dev.json': JSON.stringify(devFile()), '.portolan/service/maps-admin-key': 'sk-local' });
  chmodSync(join(folder, '.portolan/service/maps-admin-key'), 0o600);
  const connection = await resolve(folder, 'local');
  expect(connection).toMatchObject({ name: 'local', hosted: false, url: 'http://127.0.0.1:7411', tuning: { settleMs: 1_000 } });
  expect(await connection.token()).toBe('sk-local');
});

test('local of a service that has lost its folder says so, and not that somebody should write a key', async () => {
  const folder = project({ '.portolan/dev.json': JSON.stringify(devFile()) });
  const connection = await resolve(folder, 'local');
  await expect(connection.token()).rejects.toMatchObject({
    message: expect.stringMatching(/^connection 'local': there is no file .*maps-admin-key, which portolan dev has written$/),
    remedy: 'put it back, with its folder; or begin anew with an empty one: portolan dev --stop, then portolan dev --detach',
  });
});

test.each<[string, Record<string, string>]>([
  ['never started', {}],
  ['ended long ago', { '.portolan/dev.json': JSON.stringify(devFile({ startTime: 'earlier' })) }],
  ['written by halves', { '.portolan/dev.json': '{"version":1,' }],
])('local of a dev that was %s names the remedy', async (_, files) => {
  const folder = project(files);
  await expect(resolve(folder, 'local')).rejects.toMatchObject({
    message: `connection 'local': portolan dev is not running in ${folder}`,
    remedy: 'start it: portolan dev --detach',
  });
});

test('of connections of one user the strictest limit holds for all, whichever is named first', async () => {
  const url = 'https://maps.example/';
  const limited = (count: number) => ({ limits: { 'maps/tag': { count, seconds: 60 } } });
  const connections = {
    one: { maps: { url, secret: { env: 'KEY' }, subject: 'ada' } },
    two: { maps: { url, secret: { env: 'OTHER' }, subject: 'ada', ...limited(30) } },
    three: { maps: { url, secret: { env: 'OTHER' }, subject: 'ada', ...limited(60) } },
    else: { maps: { url, secret: { env: 'OTHER' }, ...limited(5) } },
    elsewhere: { maps: { url: 'https://other.example', secret: { env: 'KEY' }, subject: 'ada', ...limited(1) } },
  };
  const folder = configured({ connections });
  for (const name of ['one', 'two', 'three']) expect((await resolve(folder, name)).limits).toEqual(limited(30).limits);
  expect((await resolve(folder, 'else')).limits).toEqual(limited(5).limits);
});

test('connections without a user are of one where they have one key, and 20 in 60 s are stricter than 5 in 1 s', async () => {
  const url = 'https://maps.example/';
  const limited = (count: number, seconds: number) => ({ limits: { 'maps/tag': { count, seconds } } });
  const connections = {
    one: { maps: { url, secret: { env: 'KEY' }, ...limited(5, 1) } },
    two: { maps: { url, secret: { env: 'KEY' }, ...limited(20, 60) } },
    other: { maps: { url, secret: { env: 'OTHER' }, ...limited(1, 60) } },
  };
  const folder = configured({ connections });
  for (const name of ['one', 'two']) expect((await resolve(folder, name)).limits).toEqual(limited(20, 60).limits);
  expect((await resolve(folder, 'other')).limits).toEqual(limited(1, 60).limits);
});
