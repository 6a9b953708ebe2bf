import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../dev/ports.ts';

test('a free port is kept, a taken one is replaced, and refused where a person named it', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const other = await freePort({ port });
  expect(other).not.toBe(port);
  expect(await freePort({ port: other })).toBe(other);
  await expect(freePort({ port, option: 'ui-port' })).rejects.toMatchObject({
    message: `port ${port} (--ui-port) is in use`,
    remedy: 'end what listens there, or leave --ui-port out: a free port is taken then',
  });
});
