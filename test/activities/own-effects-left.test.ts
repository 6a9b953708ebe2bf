import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { StepContext } from '../../activities/frame/context.ts';
import { doorsOf } from '../../activities/own/context.ts';
import { countEffects } from '../../activities/own/effects-left.ts';
import { createPermits } from '../../client/permits.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

test.each([
  [201, {}, 1],
  [408, {}, 1],
  [408, { 'retry-after': '1' }, 1],
  [425, {}, 1],
  [500, {}, 1],
  [404, {}, 0],
  [429, {}, 0],
  [503, {}, 0],
])('what context.fetch sent and was answered %i %j counts %i effects that may have happened', async (status, headers, left) => {
  server = createServer((_, response) => void response.writeHead(status, headers).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const effects = countEffects();
  const context = {
    callScope: 'run/step',
    signal: new AbortController().signal,
    fence: async () => undefined,
    own: { permits: createPermits(), limitOf: (url: URL) => url.origin },
  } as Partial<StepContext> as StepContext;
  const { fetch } = doorsOf({ name: 'acme.send', operations: [], effect: 'never' }, context, { effects });
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { method: 'POST' }).catch(() => undefined);
  expect(effects.count()).toBe(left);
});
