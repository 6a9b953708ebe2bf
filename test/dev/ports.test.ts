import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../dev/ports.ts';

test('a free port is kept, a taken one is replaced', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const other = await freePort(port);
  expect(other).not.toBe(port);
  expect(await freePort(other)).toBe(other);
});
