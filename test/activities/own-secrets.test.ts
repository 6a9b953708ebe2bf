import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { secretsRead } from '../../activities/own/secrets.ts';
import { createStepWorld, type StepWorld } from '../activities/step-world.ts';

let dir: string;
let world: StepWorld;
const api = new URL('../../index.ts', import.meta.url).href;
const canary = 'bot-canary-0123456789';

/** A chat service whose addresses hold the token of the bot, as those of Telegram, Slack and Discord do. */
let answer: 'limit' | 'cut' = 'limit';
const server = createServer((request, response) => {
  request.resume();
  if (answer === 'cut') request.socket.destroy();
  else response.writeHead(429, { 'retry-after': '1' }).end();
});

const step = (effect: string): string => `import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({
  name: 'acme.${effect}',
  input: z.strictObject({ url: z.string() }),
  output: z.object({}),
  effect: '${effect}',
  async run({ url }, context) {
    // What \`await context.secret('bot')\` gives.
    const token = ['bot', 'canary', '0123456789'].join('-');
    await context.fetch(url + '/bot' + token + '/sendMessage', { method: 'POST', body: '{}' });
    return {};
  },
});
`;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  dir = await mkdtemp(join(tmpdir(), 'portolan-rev-'));
  for (const effect of ['idempotent', 'never']) await writeFile(join(dir, `${effect}.mts`), step(effect));
  world = await createStepWorld([join(dir, 'idempotent.mts'), join(dir, 'never.mts')]);
  secretsRead.note('bot', canary);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
  server.closeAllConnections();
  server.close();
});

test.each([
  ['idempotent', 'limit'],
  ['idempotent', 'cut'],
  ['never', 'cut'],
] as const)('no secret that stands in an address is in histories and events: %s, %s', async (effect, what) => {
  answer = what;
  const run = world.newRun();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const failure: any = await run.attempt(`acme.${effect}`, 'main', run.argsOf(`acme.${effect}`, { url })).catch((error: unknown) => error);
  expect(failure.name).toBe('ApplicationFailure');
  const kept = JSON.stringify({ message: failure.message, type: failure.type, details: failure.details });
  expect.soft(kept).not.toContain(canary);
  expect.soft(JSON.stringify(await run.store.events())).not.toContain(canary);
});

test('of two secrets of which one begins the other neither is said, nor one as an address has it', () => {
  secretsRead.note('client-id', 'acme-prod');
  secretsRead.note('client-secret', 'acme-prod-9f8e7d6c5b4a');
  secretsRead.note('key', 'ab+cd/ef==');
  expect(secretsRead.scrub('refused: acme-prod-9f8e7d6c5b4a')).toBe('refused: [secret client-secret]');
  expect(secretsRead.scrub(`GET https://api.example/?key=${encodeURIComponent('ab+cd/ef==')}`)).toBe(
    'GET https://api.example/?key=[secret key]',
  );
});
