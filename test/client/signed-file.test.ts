import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createPermits } from '../../client/permits.ts';
import { getSignedFile } from '../../client/signed-file.ts';
import { verdictOf } from '../../activities/agent/verdict.ts';

/** What becomes of one GET of a file from a server that answers so. */
async function got(listener: RequestListener, most = 100): Promise<unknown> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return await getSignedFile(
      {
        url: `${base}/exports/1?signature=2`,
        most,
        serviceUrl: base,
        limit: 'instance/standard',
        permits: createPermits(),
        signal: undefined,
      },
      { by: 'instance.agents.export', what: 'the URL of an export', goes: 'exports' },
    ).then((bytes) => new TextDecoder().decode(bytes));
  } catch (error) {
    return error;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('a file is read whole', async () => {
  expect(await got((_, answer) => void answer.end('a,b\n1,2\n'))).toBe('a,b\n1,2\n');
});

test('a server that is not well, or breaks off, is asked again, at once or later: the agent of the file has been paid for', async () => {
  expect(verdictOf(await got((_, answer) => void answer.writeHead(503).end('later')))).toBe('stop');
  expect(verdictOf(await got((_, answer) => void answer.writeHead(500).end('not well')))).toBe('again');
  expect(verdictOf(await got((request) => void request.socket.destroy()))).toBe('again');
});

test('a redirect is not followed, and no more is read than was asked for', async () => {
  let followed = 0;
  const answer = await got((request, response) => {
    if (request.url === '/inside') followed += 1;
    response.writeHead(302, { location: '/inside' }).end();
  });
  expect([followed, answer instanceof Error]).toEqual([0, true]);
  expect(await got((_, response) => void response.end('x'.repeat(101)))).toBeInstanceOf(Error);
});
