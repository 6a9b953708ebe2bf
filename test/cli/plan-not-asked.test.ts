import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configured } from '../config/support.ts';
import { portolan } from './support.ts';

let server: Server | undefined;
beforeEach(() => {
  process.env['NOT_ASKED_KEY'] = 'nk-wrong';
});
afterEach(() => {
  server?.close();
  server = undefined;
  delete process.env['NOT_ASKED_KEY'];
});

const file =
  'name: films\nsteps:\n  one: { use: dataset.ensure, with: { slug: one } }\n  two: { use: dataset.ensure, with: { slug: two } }\n';
const above = 'name: above\nsteps:\n  films: { use: ./films.yaml }\n';

/** A project whose connection `prod` is this service. */
const at = (maps: object): string => configured({ connections: { prod: { maps } } }, { 'films.yaml': file, 'above.yaml': above });

async function refusing(status: number): Promise<string> {
  server = createServer((_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"detail":"not this key"}'),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return at({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, secret: { env: 'NOT_ASKED_KEY' } });
}

type Said = { notAsked: { service: string; connection: string; says: string; remedy: string }[]; steps: unknown[] };

/** What plan says of a service that it could not ask, as text and as JSON; the plan itself is there both times. */
async function said(cwd: string, name = 'films.yaml', connection = 'prod'): Promise<{ err: string; notAsked: Said['notAsked'] }> {
  const argv = ['plan', name, '-c', connection];
  const text = await portolan(argv, { cwd });
  expect([text.code, text.out]).toEqual([0, expect.stringContaining('total')]);
  expect(text.out).not.toContain('nobody has asked');
  const json = await portolan([...argv, '--json'], { cwd });
  const { notAsked, steps } = JSON.parse(json.out) as Said;
  expect([json.code, steps.length > 0]).toEqual([0, true]);
  const offline = await portolan([...argv, '--offline'], { cwd });
  expect([offline.code, offline.err]).toEqual([0, '']);
  expect((JSON.parse((await portolan([...argv, '--offline', '--json'], { cwd })).out) as Said).notAsked).toEqual([]);
  return { err: text.err, notAsked };
}

test.each([
  [401, 'check the secret of the connection'],
  [403, ''],
])('plan says that the service refused with %i to be asked, once, and plans by what it knows', async (status, remedy) => {
  const { err, notAsked } = await said(await refusing(status));
  expect(err).toMatch(
    new RegExp(`^the maps service could not be asked: connection 'prod': .* answered ${status}: .*not this key\n  .*${remedy}`),
  );
  expect(err.match(/could not be asked/g)).toHaveLength(1);
  expect(notAsked).toEqual([
    { service: 'maps', connection: 'prod', says: expect.stringContaining(`answered ${status}`), remedy: expect.stringContaining(remedy) },
  ]);
});

test('plan says that nobody is there to be asked, in the pipelines that steps run too', async () => {
  const cwd = at({ url: 'http://127.0.0.1:1', secret: { env: 'NOT_ASKED_KEY' } });
  for (const name of ['films.yaml', 'above.yaml']) {
    const { err, notAsked } = await said(cwd, name);
    expect(err).toMatch(/^the maps service could not be asked: connection 'prod': .*ECONNREFUSED.*\n {2}is the service up\?/);
    expect(notAsked).toHaveLength(1);
  }
});

test('plan says that the key is not there, or that the local service does not run, with what to do', async () => {
  const keyless = await said(at({ url: 'http://127.0.0.1:1', secret: { file: 'secrets/none' } }));
  expect(keyless.err).toMatch(/^the maps service could not be asked: connection 'prod': .*secrets\/none/);
  const { err } = await said(at({ url: 'http://127.0.0.1:1', secret: { env: 'NOT_ASKED_KEY' } }), 'films.yaml', 'local');
  expect(err).toMatch(
    /^the maps service could not be asked: connection 'local': portolan dev is not running.*\n {2}start it: portolan dev --detach/,
  );
});
