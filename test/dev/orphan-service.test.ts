import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../dev/ports.ts';
import { spawnOwn } from '../../dev/processes.ts';
import { temporaryFolder } from './support.ts';

test('a service that is started while the one of a killed supervisor is still ending takes its folder over', async () => {
  const folder = temporaryFolder();
  const port = await freePort();
  const start = () => {
    const service = spawnOwn<{ url: string }>({
      entry: 'service/main',
      args: ['--data', join(folder, 'service'), '--port', String(port), '--json', '--embedding', 'lexical'],
      log: join(folder, 'log'),
      quiet: true,
    });
    onTestFinished(() => void service.kill());
    return service;
  };
  const orphan = start();
  const { url } = await orphan.ready;
  const next = start();
  // As when its supervisor dies: the channel closes, and the service ends in order.
  orphan.release();
  expect((await next.ready).url).toBe(url);
  expect(await orphan.exited).toEqual({ code: 0, signal: null });
});
