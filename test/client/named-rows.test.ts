import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../client/create-client.ts';
import { rowsWithIds } from '../../client/known-rows.ts';
import { createPermits } from '../../client/permits.ts';

/** How a service refuses a read that names ids which it does not have. */
type Refusal = (unknown: readonly string[]) => string;

const detail = (words: string): string => JSON.stringify({ detail: words });

const refusals = {
  'lists them': (unknown) => detail(`unknown datum ids: ${unknown.join(', ')}`),
  'lists them in an answer that is no JSON': (unknown) => `unknown datum ids: ${unknown.join(', ')}`,
  'lists them in an answer that is cut': (unknown) => detail(`unknown datum ids: ${unknown.join(', ')}`).slice(0, 40),
  'has words around them': (unknown) => detail(`datums ${unknown.join(' ')} were not found.`),
  'gives them as a list of JSON': (unknown) => JSON.stringify({ detail: 'some datums were not found', ids: unknown }),
  'names none': () => detail('some datums were not found'),
} satisfies Record<string, Refusal>;

let held = new Set<string>();
let refusal: Refusal = refusals['names none'];
let server: Server;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { datum_ids } = JSON.parse(await text(request)) as { datum_ids: string[] };
    const unknown = datum_ids.filter((id) => !held.has(id));
    response.writeHead(unknown.length > 0 ? 404 : 200, { 'content-type': 'application/json' });
    response.end(unknown.length > 0 ? refusal(unknown) : JSON.stringify({ datums: datum_ids.map((id) => ({ id })) }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

async function knownOf(ids: readonly string[]): Promise<string[]> {
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const maps = createClient('maps', { baseUrl, token: 'k', permits: createPermits() });
  const rows = await rowsWithIds({ maps, project: randomUUID(), idField: 'id', size: 100, signal: new AbortController().signal }, ids);
  return [...rows.keys()].sort();
}

// Ids that are words of a refusal, words of each other, and parts of each other where a list is read.
const ids = [
  ...['Alien', 'Alien Resurrection', 'Alien: Covenant', 'Covenant', 'Heat', 'Heat, the', 'the', 'Alie'],
  ...['unknown', 'datum', 'datums', 'ids', 'detail', 'some', 'were', 'not', 'found', 'say "Heat"'],
];

test.each(Object.entries(refusals))(
  'a row is known whatever words stand in the ids that are not there: a service that %s',
  async (_, how) => {
    await fc.assert(
      fc.asyncProperty(fc.subarray(ids), fc.subarray(ids, { minLength: 1 }), async (there, asked) => {
        held = new Set(there);
        refusal = how;
        expect(await knownOf(asked)).toEqual(asked.filter((id) => held.has(id)).sort());
      }),
      { numRuns: 60 },
    );
  },
);
