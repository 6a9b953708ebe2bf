import type { IncomingMessage, ServerResponse } from 'node:http';
import { chmod, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { limitingNow } from '../../runs/limiting.ts';
import { watchRun } from '../../runs/watch.ts';
import { useServer } from '../support/use-server.ts';
import { useWorld } from './support.ts';

const world = useWorld();
const secret = 'canary-of-an-own-service-4711';

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
const ok: Answer = (_, response) => void response.end('{}');

/** Requests in the order in which they came, and what becomes of each: `ok` unless a test says otherwise. */
let received: { path: string; at: number; headers: IncomingMessage['headers'] }[] = [];
let answer: Answer = ok;
const { url } = useServer((request, response) => {
  received.push({ path: request.url!, at: performance.now(), headers: request.headers });
  request.resume();
  void answer(request, response);
});
const pathsOf = (): string[] => received.map(({ path }) => path).toSorted();

const api = new URL('../../index.ts', import.meta.url).href;
const sweep = (name: string, body: string, more = ''): Promise<string> =>
  world.write(
    `steps/${name}.mts`,
    `import { defineSweep, Wait, z } from ${JSON.stringify(api)};
export default defineSweep({
  name: 'acme.${name}',
  input: z.strictObject({ url: z.string(), count: z.int() }),
  effect: 'idempotent',
  itemSeconds: 0.01,
  *items({ url, count }) {
    for (let id = 0; id < count; id++) yield { id: \`i\${id}\`, url };
  },
  ${more}
  async each({ id, url }, context) {
    ${body}
  },
});
`,
  );
const pipeline = (use: string, count = 4, tolerate = ''): string => `
name: own-services
params: { url: { type: string } }
steps:
  all: { use: acme.${use}, with: { url: "\${{ params.url }}", count: ${count} }${tolerate} }
outputs: { all: "\${{ steps.all }}" }
`;
const run = (...given: Parameters<typeof pipeline>) => world.run(pipeline(...given), { url: url() });

beforeAll(async () => {
  await world.write(
    'portolan.config.mts',
    `export default { secrets: { acme: { file: 'acme.key' } }, limits: { '${url()}/slow': { count: 2, seconds: 1 } } };`,
  );
  await chmod(await world.write('acme.key', secret), 0o600);
  await sweep('twice', "await context.fetch(`${url}/${id}`); await context.fetch(`${url}/again`, { method: 'POST', auth: 'acme' });");
  const fetched = "await context.fetch(`${url}/${id}`, { method: 'POST', auth: 'acme' });";
  await sweep('fetch', fetched);
  await sweep('charge', fetched).then((file) => rewrite(file, "effect: 'idempotent'", "effect: 'never'"));
  const billed = fetched.replace('await', 'const { status } = await') + ' if (status >= 400) throw new Error(`status ${status}`);';
  await sweep('billed', billed).then((file) => rewrite(file, "effect: 'idempotent'", "effect: 'never'"));
  const two = fetched.replace(';', '') + '; await context.fetch(`${url}/after/${id}`);';
  await sweep('two', two).then((file) => rewrite(file, "effect: 'idempotent'", "effect: 'never'"));
  const single = (name: string, body: string): Promise<string> =>
    world.write(
      `steps/${name}.mts`,
      `import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({
  name: 'acme.${name}',
  input: z.strictObject({ url: z.string(), count: z.int() }),
  output: z.object({ key: z.string() }),
  effect: 'never',
  async run({ url }, context) { ${body} },
});
`,
    );
  await single('once', "await context.fetch(`${url}/i0`, { method: 'POST' }); await context.fetch(`${url}/after/i0`); return { key: '' };");
  await single('spilled', "return { key: await context.secret('acme') };");
  await sweep('raw', 'const reply = await fetch(`${url}/${id}`); if (!reply.ok) throw Wait.after(reply);', 'atOnce: 1, window: 1,');
  const inTwoChunks = 'chunk: 2, atOnce: 1, window: 2,';
  await sweep('thrown', 'const reply = await fetch(`${url}/${id}`); if (!reply.ok) throw Wait.after(reply);', inTwoChunks);
  await sweep('asked', 'await context.fetch(`${url}/${id}`);', inTwoChunks);
  await sweep('hang', 'await context.fetch(`${url}/${id}`, { timeoutSeconds: 60 });', 'attemptSeconds: 1, attempts: 2,');
  await sweep('shaky', 'throw Object.assign(new Error(`attempt ${context.attempt}`), { retryable: true });', 'attempts: 3,');
  await sweep('slow', 'await context.fetch(`${url}/slow/${id}`);');
  await sweep('paced', 'await fetch(`${url}/${id}`);', 'limit: { count: 3, seconds: 1 },');
  await sweep('leak', "throw new Error(`refused: ${await context.secret('acme')}`);");
  await sweep('spill', "return { result: { key: await context.secret('acme') } };", 'result: z.object({ key: z.string() }),');
  await world.write('steps/documented.mts', documented('ts', 'defineSweep').replace("'portolan'", JSON.stringify(api)));
  await world.write(
    'steps/rank.mts',
    `import { defineSweep, z } from ${JSON.stringify(api)};
export default defineSweep({
  name: 'acme.rank', input: z.strictObject({ rows: z.string() }), effect: 'safe',
  ${/items: \(.*?\) => context\.rows\(rows\)/.exec(documented('yaml', 'acme.rank'))![0]},
  key: ({ item }) => item as string, each() {},
});
`,
  );
  await world.worker.stop();
  await world.worker.start(0);
});
const page = await readFile(new URL('../../docs/own-steps.md', import.meta.url), 'utf8');
/** The example of the documentation that holds a text. */
const documented = (language: string, text: string): string =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))]
    .map((found) => found[1]!)
    .find((code) => code.includes(text))!;
const rewrite = async (file: string, from: string, to: string): Promise<void> => {
  await writeFile(file, (await readFile(file, 'utf8')).replace(from, to));
};
beforeEach(() => {
  received = [];
  answer = ok;
});

const closedBehind: Answer = ({ url: path }, response) =>
  void (path!.startsWith('/after') ? response.writeHead(429, { 'retry-after': '1' }).end() : response.end('{}'));

test("with effect 'never' a wait of a later call takes nothing back of what was done", async () => {
  answer = closedBehind;
  const swept = await run('two', 2);
  expect(swept.result.state).toBe('failed');
  expect((await world.store(swept.result.run).readItems({ step: 'all' })).map(({ status }) => status)).toEqual(['unknown', 'unknown']);
  expect(pathsOf().filter((path) => !path.startsWith('/after'))).toEqual(['/i0', '/i1']);
  received = [];
  const single = await run('once');
  expect(single.result).toMatchObject({ state: 'failed', error: { type: 'Undecided' } });
  expect(pathsOf()).toEqual(['/after/i0', '/i0']);
  expect((await world.portolan(['rerun', single.result.run, '--json'])).err).toContain('may have done');
});

test("with effect 'never' an output that holds a secret is refused before it is written anywhere", async () => {
  const { result } = await run('spilled');
  expect(result.state).toBe('failed');
  const folder = world.store(result.run).path();
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  expect(files.some(({ parentPath }) => parentPath.includes('intents'))).toBe(true);
  for (const { parentPath, name } of files) expect(await readFile(join(parentPath, name), 'utf8')).not.toContain(secret);
});

test('what is missing on this host for a while is no fate of an item', async () => {
  const key = join(world.dir, 'acme.key');
  const started = Promise.withResolvers<void>();
  const back = Promise.withResolvers<void>();
  answer = async ({ url: path }, response) => {
    if (path === '/i0') {
      started.resolve();
      await back.promise;
    }
    response.end('{}');
  };
  const id = await world.start(pipeline('fetch', 1).replace('acme.fetch', 'acme.twice'), { url: url() });
  await started.promise;
  await rename(key, `${key}.away`);
  back.resolve();
  const location = await world.locate(id);
  for await (const snapshot of watchRun(world.place, location, { minMs: 50 }))
    if (limitingNow(snapshot).some(({ cause }) => cause === 'missing')) break;
  await rename(`${key}.away`, key);
  const { view } = await world.ended(id);
  expect(view).toMatchObject({ state: 'done', outputs: { all: { done: 1, failed: 0 } } });
});

test('a secret goes out by its name, and its value stands nowhere else', async () => {
  const { result, out, err } = await run('fetch');
  expect(result.state).toBe('done');
  expect(received.map(({ headers }) => headers.authorization)).toEqual(Array(4).fill(`Bearer ${secret}`));
  const leak = await run('leak', 2, ', tolerate: { failed: 100% }');
  const spill = await run('spill', 2, ', tolerate: { failed: 100% }');
  const ledger = await world.store(leak.result.run).readItems({ step: 'all' });
  expect(ledger[0]!.reason).toMatch(/^refused: \[secret acme\] \(leak\.mts:\d+:\d+\)$/);
  expect((await world.store(spill.result.run).readItems({ step: 'all' }))[0]!.reason).toContain("holds the value of the secret 'acme'");
  const log = await readFile(join(world.state, 'logs', 'worker-0.log'), 'utf8');
  expect(log).toContain('refused: [secret acme]');
  const events = JSON.stringify(await Promise.all([result.run, leak.result.run, spill.result.run].map((id) => world.events(id))));
  for (const text of [out, err, log, events, JSON.stringify(ledger), leak.out, spill.out]) expect(text).not.toContain(secret);
});

test.each([
  ['seconds', () => '2'],
  ['a date', () => new Date(Date.now() + 3_000).toUTCString()],
])('a Retry-After in %s holds all items, uses no attempt, and nothing is sent early', async (_, retryAfter) => {
  let refusedAt = 0;
  answer = (_request, response) => {
    if (refusedAt > 0) return void response.end('{}');
    refusedAt = performance.now();
    response.writeHead(429, { 'retry-after': retryAfter() }).end();
  };
  const { result } = await run('fetch', 12);
  expect(result).toMatchObject({ state: 'done', outputs: { all: { items: 12, done: 12 } } });
  const ledger = await world.store(result.run).readItems({ step: 'all' });
  expect(ledger.map(({ attempts }) => attempts)).toEqual(Array(12).fill(1));
  const waits = (await world.store(result.run).events()).filter(({ kind }) => kind === 'wait');
  expect(waits[0]).toMatchObject({ limit: url() });
  expect(new Set(pathsOf()).size).toBe(12);
  // The refused item comes again after its time, and goes first.
  const [refused] = received;
  const again = received.filter(({ path }) => path === refused!.path)[1]!;
  expect(again.at - refusedAt).toBeGreaterThanOrEqual(1_999);
});

test("with effect 'never' a refused item is begun again, one whose answer is lost is not", async () => {
  let calls = 0;
  answer = (request, response) => {
    calls++;
    if (calls === 1) response.writeHead(429, { 'retry-after': '1' }).end();
    else if (request.url === '/i3') request.socket.destroy();
    else response.end('{}');
  };
  const { result } = await run('charge', 4, ', tolerate: { unknown: 1 }');
  expect(result).toMatchObject({ state: 'done', outputs: { all: { done: 3, statuses: { done: 3, unknown: 1 } } } });
  const ledger = await world.store(result.run).readItems({ step: 'all', status: 'unknown' });
  expect(ledger).toMatchObject([{ item: 'i3', reason: expect.stringContaining('may have been carried out') }]);
  expect(pathsOf().filter((path) => path === '/i3').length - (received[0]!.path === '/i3' ? 1 : 0)).toBe(1);
});

test("with effect 'never' each call has a connection of its own: one that was kept may be closed by the service as it is used", async () => {
  const used = new WeakSet<object>();
  answer = ({ socket }, response) => {
    // As a service that closes connections for being idle, just as the next request arrives.
    if (used.has(socket)) return void socket.destroy();
    used.add(socket);
    response.end('{}');
  };
  expect((await run('charge', 40)).result).toMatchObject({ state: 'done', outputs: { all: { done: 40, statuses: { done: 40 } } } });
  expect(received.length).toBe(40);
});

test('an item of which nobody knows what was done ends the run as that, whatever the file says of failures; what it says is the way on', async () => {
  answer = (request, response) => {
    if (request.url === '/i3') request.socket.destroy();
    else response.writeHead(request.url === '/i1' ? 400 : 200).end('{}');
  };
  const tolerant = pipeline('charge', 4, ', onError: tolerate').replace('steps.all }}', 'steps.?all.done.orValue(0) }}');
  const { run: id, ...result } = (await world.run(tolerant, { url: url() })).result;
  expect(result).toMatchObject({
    state: 'failed',
    error: { type: 'Undecided', message: expect.stringMatching(/^1 of 4 items unknown .*first: i3: /) },
  });
  expect((await world.portolan(['why', id])).out).toMatch(/first: i3: [^]*--fate ITEM=done, or --fate ITEM=again[^]*\(Undecided\)/);
  answer = ok;
  const rerun = await world.portolan(['rerun', id, '--fate', 'i3=done']);
  expect([rerun.code, pathsOf().filter((path) => path === '/i3')]).toEqual([0, ['/i3']]);
});

test('an item of which nobody knows what was done is said before one that failed: only a person can decide it', async () => {
  answer = (request, response) => {
    if (request.url === '/i3') request.socket.destroy();
    else response.writeHead(request.url === '/i1' ? 400 : 200).end('{}');
  };
  const { result } = await run('billed');
  expect(result).toMatchObject({ state: 'failed', error: { type: 'Undecided', message: expect.stringContaining('first: i3: ') } });
  expect((await world.store(result.run).readItems({ step: 'all', status: 'failed' })).map(({ item }) => item)).toEqual(['i1']);
});

test('code that fetches by itself says how long to wait, and the whole sweep waits', async () => {
  const refused = Promise.withResolvers<number>();
  answer = (request, response) => {
    if (request.url !== '/i1' || received.filter(({ path }) => path === '/i1').length > 1) return void response.end('{}');
    refused.resolve(performance.now());
    response.writeHead(503, { 'retry-after': '2' }).end();
  };
  const { result } = await run('raw');
  expect(result.state).toBe('done');
  const at = await refused.promise;
  expect(received.map(({ path }) => path)).toEqual(['/i0', '/i1', '/i1', '/i2', '/i3']);
  expect(received.slice(2).every((each) => each.at - at >= 1_999)).toBe(true);
  expect((await world.store(result.run).readItems({ step: 'all' })).map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1]);
  const [wait] = (await world.store(result.run).events()).filter(({ kind }) => kind === 'wait');
  expect(wait).toMatchObject({ limit: 'steps/acme.raw', cause: 'waits 2 s: 503, Retry-After' });
});

test.each([
  ['thrown', 'thrown by the code of one item'],
  ['asked', 'asked for by a service'],
])('a wait holds the chunks beside it too (%s): %s', async (use) => {
  const release = Promise.withResolvers<void>();
  let refusedAt = 0;
  answer = async (request, response) => {
    if (request.url === '/i2') await release.promise;
    if (request.url !== '/i1' || refusedAt > 0) return void response.end('{}');
    refusedAt = performance.now();
    response.writeHead(503, { 'retry-after': '3' }).end();
  };
  const id = await world.start(pipeline(use), { url: url() });
  // The other chunk has an item under way, and a next one.
  const waits = async (): Promise<boolean> => (await world.store(id).events()).some(({ kind }) => kind === 'wait');
  await expect.poll(waits).toBe(true);
  release.resolve();
  expect((await world.ended(id)).view.state).toBe('done');
  const next = received.find(({ path }) => path === '/i3')!;
  expect(next.at - refusedAt).toBeGreaterThanOrEqual(2_999);
});

test('an item that hangs is named in the view', async () => {
  const release = Promise.withResolvers<void>();
  answer = async (request, response) => {
    if (request.url === '/i1') await release.promise;
    response.end('{}');
  };
  const id = await world.start(pipeline('fetch', 3), { url: url() });
  const { view } = await world.until(id, (snapshot) => /i1 for \d+ s/.test(snapshot.view.steps[0]?.progress?.note ?? ''));
  expect(view.steps[0]!.progress!.note).toMatch(/^under way: i1 for \d+ s;$/);
  const shown = (await world.portolan(['status', id])).out;
  expect(shown).toMatch(/under way: i1 for \d+ s; 2 of 3 items|under way: i1 for \d+ s;/);
  release.resolve();
  expect((await world.ended(id)).view.state).toBe('done');
});

test('an item ends with its time, and is tried again as often as declared', async () => {
  const release = Promise.withResolvers<void>();
  answer = async (request, response) => {
    if (request.url === '/i1') await release.promise;
    response.end('{}');
  };
  const { result } = await run('hang', 3, ', tolerate: { failed: 1 }');
  release.resolve();
  expect(result).toMatchObject({ state: 'done', outputs: { all: { done: 2, failed: 1 } } });
  const [failed] = await world.store(result.run).readItems({ step: 'all', status: 'failed' });
  expect(failed).toMatchObject({ item: 'i1', reason: expect.stringMatching(/^no end after 1 s .*\(2 attempts\)$/), attempts: 2 });
  expect(pathsOf()).toEqual(['/i0', '/i1', '/i1', '/i2']);
});

test('attempts are counted for each item', async () => {
  const { result } = await run('shaky', 2, ', tolerate: { failed: 100% }');
  expect(result.state).toBe('done');
  const ledger = await world.store(result.run).readItems({ step: 'all' });
  expect(ledger).toMatchObject([
    { attempts: 3, reason: expect.stringMatching(/^attempt 3 \(shaky\.mts:\d+:\d+\) \(3 attempts\)$/) },
    { attempts: 3 },
  ]);
});

test.each([
  ['slow', 2, 'a limit of the configuration holds for the beginning of a URL'],
  ['paced', 3, 'a limit of the sweep holds for its items'],
])('%s: %i in a second, never more: %s', async (use, count) => {
  const { result } = await run(use, 8);
  expect(result.state).toBe('done');
  const at = received.map((each) => each.at);
  expect(at).toHaveLength(8);
  // Between sending and arrival lies a moment that only makes the first of a window later.
  for (let first = 0; first + count < at.length; first++) expect(at[first + count]! - at[first]!).toBeGreaterThan(900);
});

test('the examples of the documentation run', async () => {
  answer = (request, response) => void response.end(request.headers.authorization === `Bearer ${secret}` ? '0.5' : '9');
  const text = `name: documented\n${documented('yaml', 'acme.rank')}outputs: { added: "\${{ steps.rows.added }}", ranked: "\${{ steps.again.done }}" }\n`;
  const { result, err } = await world.run(text.replace('https://api.acme.com/score', url()));
  expect({ state: result.state, err }).toMatchObject({ state: 'done' });
  expect(result.outputs).toEqual({ added: 2, ranked: 2 });
});
