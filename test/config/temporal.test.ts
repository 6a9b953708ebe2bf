import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { DevFile } from '../../config/dev-file.ts';
import { identify } from '../../config/identity.ts';
import { loadConfig } from '../../config/load.ts';
import { temporalConnection } from '../../config/temporal.ts';
import { configured, project } from './support.ts';

// What this machine has configured must not decide the test.
beforeEach(() => {
  vi.stubEnv('TEMPORAL_ADDRESS', undefined);
  vi.stubEnv('TEMPORAL_NAMESPACE', undefined);
  vi.stubEnv('TEMPORAL_CONFIG_FILE', undefined);
  vi.stubEnv('HOME', project());
  vi.stubEnv('XDG_CONFIG_HOME', undefined);
});
afterEach(() => vi.unstubAllEnvs());

const dev = (forced: boolean, startTime?: string): Record<string, string> => {
  const self = identify(process.pid) ?? { pid: 0, startTime: '' };
  const file: DevFile = {
    version: 1,
    ...self,
    ...(startTime && { startTime }),
    temporal: { address: '127.0.0.1:17233', namespace: 'default', uiUrl: 'http://127.0.0.1:18233', source: 'path', forced },
    service: { ...self, url: 'http://127.0.0.1:17411', keyFiles: { maps: '', instance: '' }, control: false },
    startedAt: '',
  };
  return { '.portolan/dev.json': JSON.stringify(file) };
};

const toml = '[profile.default]\naddress = "toml:7233"\nnamespace = "from-toml"\n';
const cluster = { temporal: { address: 'config:7233', namespace: 'from-config' } };

const connection = async (folder: string) => temporalConnection(await loadConfig(folder));

test('the order is environment, temporal.toml, configuration, dev', async () => {
  const folder = configured(cluster, { ...dev(false), 'temporal.toml': toml });
  vi.stubEnv('TEMPORAL_CONFIG_FILE', join(folder, 'temporal.toml'));
  vi.stubEnv('TEMPORAL_ADDRESS', 'env:7233');
  expect(await connection(folder)).toMatchObject({ source: 'environment', address: 'env:7233' });
  vi.stubEnv('TEMPORAL_ADDRESS', undefined);
  expect(await connection(folder)).toMatchObject({ source: 'temporal.toml', address: 'toml:7233', namespace: 'from-toml' });
  vi.stubEnv('TEMPORAL_CONFIG_FILE', undefined);
  expect(await connection(folder)).toEqual({
    source: 'portolan.config.mts',
    address: 'config:7233',
    namespace: 'from-config',
    options: { address: 'config:7233' },
  });
  expect(await connection(project(dev(false)))).toMatchObject({
    source: 'dev',
    address: '127.0.0.1:17233',
    namespace: 'default',
    uiUrl: 'http://127.0.0.1:18233',
  });
});

test('a server that dev was given goes before a configured cluster, while dev lives', async () => {
  expect(await connection(configured(cluster, dev(true)))).toMatchObject({ source: 'dev' });
  expect(await connection(configured(cluster, dev(true, 'earlier')))).toMatchObject({ source: 'portolan.config.mts' });
});

test('an API key comes from its secret and turns TLS on', async () => {
  vi.stubEnv('CLOUD_KEY', 'sk-cloud');
  const folder = configured({ temporal: { address: 'cloud:7233', apiKey: { env: 'CLOUD_KEY' } } });
  expect((await connection(folder)).options).toEqual({ address: 'cloud:7233', apiKey: 'sk-cloud' });
});

test('no server at all names the remedies', async () => {
  await expect(connection(project())).rejects.toMatchObject({
    message: expect.stringContaining('no Temporal server'),
    remedy: expect.stringMatching(/portolan dev --detach.*TEMPORAL_ADDRESS/),
  });
});

test('a broken temporal.toml is reported', async () => {
  const folder = project({ 'temporal.toml': 'address = ' });
  vi.stubEnv('TEMPORAL_CONFIG_FILE', join(folder, 'temporal.toml'));
  await expect(connection(folder)).rejects.toMatchObject({ name: 'ConfigError', message: expect.stringContaining('temporal.toml') });
});

test.each([true, false])('TLS as the configuration has it: %s', async (tls) => {
  const { options } = await connection(configured({ temporal: { address: 'config:7233', tls } }));
  expect(options).toEqual({ address: 'config:7233', tls });
});
