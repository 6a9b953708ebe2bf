import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Calls } from '../../client/invoke.ts';
import { ended, launched, messagesOf } from '../spec/instance-agents.ts';
import { callsOf, createWorld, unlimited, type World } from './world.ts';

let world: World;
let calls: Calls;
beforeAll(async () => {
  world = await createWorld({ agents: { pace: { from: 0, to: 0 } } });
  await world.service.listen();
  calls = callsOf(world, world.service.adminKeys.instance);
  await unlimited(world);
});
afterAll(async () => world?.[Symbol.asyncDispose]());

/** The last word of an agent, and the tables that it made. */
async function doneBy(prompt: string, files: Record<string, string>) {
  const { id } = await launched(calls, prompt, files);
  const { artifacts } = await ended(calls, id);
  const contents = (artifacts ?? []).map(
    async (each) => (await calls.invoke('instance.agents.artifact', { id, artifactId: each.id })).content as { elements: object[] },
  );
  return { word: (await messagesOf(calls, id)).at(-1)!.text!, tables: await Promise.all(contents) };
}

const ordersOf = (count: number): string =>
  `order,status\n${Array.from({ length: count }, (_, at) => `o${String(at).padStart(6, '0')},s\n`).join('')}`;

test('what is counted is a table of all rows; one that is too long says how many it holds', async () => {
  const all = await doneBy('Count the orders by order.', { 'orders.csv': ordersOf(3_000) });
  expect(all.tables.map(({ elements }) => elements.length)).toEqual([3_000]);
  expect(all.tables[0]!.elements.at(-1)).toEqual({ order: 'o002999', count: 1 });
  expect(all.word).toMatch(/o000007 1; and 2992 more\.$/);

  const long = await doneBy('Count the orders by order.', { 'long.csv': ordersOf(100_001) });
  expect(long.tables.map(({ elements }) => elements.length)).toEqual([100_000]);
  expect(long.word).toMatch(/and 99993 more\.\nThe table of it holds the first 100,000 rows of 100001\.$/);
});

test('a long text is read to its end, also where it is one word', async () => {
  const { word } = await doneBy('Extract the emails.', {
    'long.txt': `${'Ships sail on the sea today. '.repeat(10_000)} Write to late@example.com.`,
    'word.txt': `${'x'.repeat(500_000)} later@example.com`,
  });
  expect(word).toBe('2 emails: late@example.com; later@example.com.');
});

test('a text that is too long to be read says how far it was', async () => {
  const { word } = await doneBy('Extract the emails.', { 'sea.txt': `a${'é\n'.repeat(700_000)} late@example.com` });
  expect(word).toBe(
    'sea.txt: only the first 1,398,101 characters of its text were read; what follows is not in this answer.\nNo emails found.',
  );
});
