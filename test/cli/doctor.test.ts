import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connections } from '../../cli/checks/services.ts';
import { loadConfig } from '../../config/load.ts';
import { useServer } from '../support/use-server.ts';
import { portolan } from './support.ts';
import { createWorld } from '../service/world.ts';

test('a key is known although it lacks the scope by which it is tried; one that is unknown is wrong', async () => {
  await using world = await createWorld();
  const { url } = await world.service.listen();
  const cwd = await mkdtemp(join(tmpdir(), 'portolan-doctor-'));
  const found = async (key: string) => {
    await writeFile(join(cwd, 'key'), key, { mode: 0o600 });
    return (await connections.run({ cwd, config: await loadConfig(cwd) })).at(0);
  };
  try {
    await writeFile(
      join(cwd, 'portolan.config.mts'),
      `export default { connections: { here: { instance: { url: '${url}', secret: { file: 'key' } } } } };`,
    );
    const { key } = (await world.api.post('/__control/keys', { service: 'instance', name: 'users', scopes: ['admin:users:write'] })).body;
    expect(await found(key)).toMatchObject({ ok: true, detail: expect.stringContaining('it has no scope admin:api-keys:read') });
    expect(await found('npk_unknown')).toMatchObject({ ok: false, detail: expect.stringContaining('401') });
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
});

let asked = (): void => undefined;
// Takes every request, and says nothing.
const { url } = useServer(() => asked());

test('doctor ends at once where it is interrupted, whatever it waits for', async () => {
  const interrupt = new AbortController();
  asked = () => interrupt.abort();
  const cwd = await mkdtemp(join(tmpdir(), 'portolan-doctor-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await writeFile(join(cwd, 'key'), 'npk_1', { mode: 0o600 });
  await writeFile(
    join(cwd, 'portolan.config.mts'),
    `export default { connections: { here: { instance: { url: '${url()}', secret: { file: 'key' } } } } };`,
  );
  const { code, out } = await portolan(['doctor', '--json'], { cwd, signal: interrupt.signal });
  const documents = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { check?: string });
  expect([code, documents.at(-1)]).toEqual([130, { type: 'error', message: 'interrupted', exit: 130 }]);
  expect(documents.map(({ check }) => check)).not.toContain('sources');
});
