import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createCalls, type Calls } from '../../client/invoke.ts';
import { createPermits } from '../../client/permits.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Calls to a service whose answer follows from the query; more than ten would be a list without an end. */
async function callsTo(answer: (query: URLSearchParams) => unknown): Promise<Calls> {
  let asked = 0;
  server = createServer(({ url }, response) => {
    if (++asked > 10) return void response.writeHead(400).end('"asked without end"');
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer(new URL(url!, 'http://x').searchParams)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return createCalls(() => ({ baseUrl, token: 'k', permits: createPermits() }));
}

test.each([
  ['at once', { '': 'a', a: 'a' }],
  ['after two', { '': 'a', a: 'b', b: 'a' }],
  ['to where it was begun', { '': 'a', a: 'b', b: 'c', c: 'a' }],
])('a list whose cursors come back %s ends with an error', async (_, following: Record<string, string>) => {
  const { pages } = await callsTo((query) => ({ data: [], nextCursor: following[query.get('cursor') ?? ''] }));
  const read = async (): Promise<void> => {
    for await (const page of pages('instance.users.list', {})) void page;
  };
  await expect(read()).rejects.toMatchObject({ name: 'ContractError', side: 'answer', message: expect.stringContaining('sent before') });
});

const organization = (names: readonly string[]) => ({
  id: 'acme',
  projects: names.map((slug) => ({ id: slug, project_name: slug, slug })),
});

async function idsOf(calls: Calls): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of calls.pages('maps.organizations.get', { organization_id_or_slug: 'acme', limit: 2 }))
    ids.push(...page.projects.map(({ id }) => id));
  return ids;
}

test('a list whose service takes no offset ends with an error, where its page comes again', async () => {
  const calls = await callsTo(() => organization(['a', 'b']));
  await expect(idsOf(calls)).rejects.toMatchObject({
    name: 'ContractError',
    side: 'answer',
    message: expect.stringContaining('offset_number changes nothing'),
  });
});

test('a list by offset goes on to the page that is empty', async () => {
  const limits: unknown[] = [];
  const calls = await callsTo((query) => {
    limits.push(query.get('limit'));
    return organization(['a', 'b', 'c', 'd'].slice(Number(query.get('offset_number'))).slice(0, 2));
  });
  expect(await idsOf(calls)).toEqual(['a', 'b', 'c', 'd']);
  // Pages are as large as the caller says, and not as ours are.
  expect(limits).toEqual(['2', '2', '2']);
});
