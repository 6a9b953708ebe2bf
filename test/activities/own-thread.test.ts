import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createStepWorld, type StepWorld } from './step-world.ts';

let dir: string;
let world: StepWorld;
let url: string;
const api = new URL('../../index.ts', import.meta.url).href;

const meeting: ServerResponse[] = [];

/** The request that is answered only when `/late` is asked for, and that its connection was closed. */
const held = { came: Promise.withResolvers<ServerResponse>(), closed: Promise.withResolvers<void>() };

/** Gives back what it was sent, over connections that it keeps however slow the machine is; `/large` a mebibyte without a length, `/cut` less than it promised, `/meet` nothing until two have asked. */
const server = createServer(async (request, response) => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  response.setHeader('set-cookie', ['a=1', 'b=2']);
  response.setHeader('x-type', request.headers['content-type'] ?? 'none');
  if (request.url === '/large') {
    for (let at = 0; at < 16; at++) response.write(Buffer.alloc(65_536, at));
    response.end();
  } else if (request.url === '/cut') {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    setImmediate(() => request.socket.destroy());
  } else if (request.url === '/meet') {
    meeting.push(response);
    if (meeting.length === 2) for (const each of meeting.splice(0)) each.end();
  } else if (request.url === '/held') {
    response.once('close', () => held.closed.resolve());
    held.came.resolve(response);
  } else if (request.url === '/there') {
    await held.came.promise;
    response.end();
  } else if (request.url === '/late') {
    (await held.came.promise).end('too late');
    response.end();
  } else response.end(Buffer.concat(pieces));
});

server.keepAliveTimeout = 0;

const step = (
  name: string,
  output: string,
  body: string,
): string => `import { createHash } from 'node:crypto'; import { threadId } from 'node:worker_threads';
import { defineStep, z } from ${JSON.stringify(api)};
const state = { calls: 0 };
const held: number[][] = [];
export default defineStep({
  name: 'acme.${name}',
  input: z.strictObject({ url: z.string().transform((text) => new URL(text)) }),
  output: ${output},
  effect: 'safe',
  operations: ['maps.user.get', 'maps.projects.get'],
  async run({ url }, context) {
    ${body}
  },
});
`;
const steps = {
  bodies: step(
    'bodies',
    'z.array(z.string())',
    `const send = async (path: string, body?: BodyInit): Promise<string> => {
      const reply = await context.fetch(new URL(path, url), { method: 'POST', ...(body === undefined ? {} : { body, duplex: 'half' }) });
      const bytes = Buffer.from(await reply.arrayBuffer());
      const shown = bytes.length > 100 ? createHash('sha256').update(bytes).digest('hex') : bytes.toString();
      return [new URL(reply.url).pathname, reply.status, reply.headers.getSetCookie().length, reply.headers.get('x-type'), shown].join(' ');
    };
    async function* pieces() { for (const word of ['one ', 'two']) yield new TextEncoder().encode(word); }
    return [
      await send('/text', 'Grüße'),
      await send('/form', new URLSearchParams({ a: '1' })),
      await send('/stream', ReadableStream.from(pieces()) as never),
      await send('/none'),
      await send('/large'),
      await send('/cut').catch((error) => \`\${error.name}: \${error.message}\`),
    ];`,
  ),
  calls: step(
    'calls',
    'z.array(z.string())',
    `const named = await context.invoke('maps.user.get', {});
    const user = await context.maps.user.get({}, { onAnswer: ({ status }) => void (state.calls = status) });
    const refused = await context.invoke('maps.projects.get', { project_id: 'no id' }).catch((error) => error.name);
    const unknown = await (context.invoke as any)('maps.user.fly', {}).catch((error) => error.message);
    return [String(JSON.stringify(named) === JSON.stringify(user)), String(state.calls), refused, unknown, typeof context.signal.aborted, context.run.pipeline];`,
  ),
  unlisted: step(
    'unlisted',
    'z.array(z.string())',
    `const wipe = { project_id: '00000000-0000-4000-8000-00000000000a', datum_ids: ['1'] };
    const said = (error) => error.message;
    return [
      await context.invoke('maps.data.delete', wipe).catch(said),
      await context.maps.data.delete(wipe).catch(said),
      await context.pages('instance.users.list', {}).next().catch(said),
    ];`,
  ),
  abandons: step(
    'abandons',
    'z.array(z.string())',
    `const stop = new AbortController();
    const asked = context.fetch(new URL('/held', url), { method: 'POST', signal: stop.signal });
    const ended = asked.then((reply) => reply.text(), (error) => error.message);
    await context.fetch(new URL('/there', url));
    stop.abort(new Error('long enough'));
    await context.fetch(new URL('/late', url));
    return [await ended];`,
  ),
  counts: step('counts', 'z.array(z.string())', 'return [String(++state.calls)];'),
  meets: step('meets', 'z.array(z.string())', "await context.fetch(new URL('/meet', url)); return [String(threadId)];"),
  reports: step(
    'reports',
    'z.array(z.string())',
    `const unit = 'rows';
    const given = [{ done: 5n, unit }, { done: NaN, unit }, { done: 1, total: Infinity, unit }, { done: 1, unit, note: () => '' }, { done: 1, unit }];
    return given.map((progress) => {
      try {
        context.progress(progress as never);
        return 'taken';
      } catch (error) {
        return error.message;
      }
    });`,
  ),
  overflows: step('overflows', 'z.array(z.string())', "context.progress({ done: 5n, unit: 'rows' } as never); return [];"),
  hoards: step('hoards', 'z.array(z.string())', 'for (;;) held.push(Array.from({ length: 100_000 }, Math.random));'),
};

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  dir = await mkdtemp(join(tmpdir(), 'portolan-thread-'));
  const files = await Promise.all(
    Object.entries(steps).map(async ([name, text]) => {
      const file = join(dir, `${name}.mts`);
      await writeFile(file, text);
      return file;
    }),
  );
  world = await createStepWorld(files);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
  server.closeAllConnections();
  server.close();
});

const run = (name: string, more: object = {}) => world.newRun().step(`acme.${name}`, { url, ...more });

test('requests and answers of context.fetch are those of fetch: bodies, streams, headers, one that breaks off', async () => {
  const large = createHash('sha256');
  for (let at = 0; at < 16; at++) large.update(Buffer.alloc(65_536, at));
  expect((await run('bodies')).output).toEqual([
    '/text 200 2 text/plain;charset=UTF-8 Grüße',
    '/form 200 2 application/x-www-form-urlencoded;charset=UTF-8 a=1',
    '/stream 200 2 none one two',
    '/none 200 2 none ',
    `/large 200 2 none ${large.digest('hex')}`,
    `NetworkError: fetch POST ${url}/cut: no answer from ${url} (ECONNRESET); it may have been carried out`,
  ]);
});

test('a request whose signal the step aborts is given up: its connection is closed', async () => {
  expect((await run('abandons')).output).toEqual(['long enough']);
  await held.closed.promise;
});

test('operations are called by name and as methods, and what they fail with keeps its name', async () => {
  expect((await run('calls')).output).toEqual([
    'true',
    '200',
    'ContractError',
    "'maps.user.fly' is not an operation; portolan call --list shows them",
    'boolean',
    'test',
  ]);
});

test('operations that a step does not list are not sent: no plan has shown them, and no gate approved them', async () => {
  const refused = (operation: string): string =>
    `acme.unlisted calls ${operation}, which is none of its \`operations\`: list it in the step`;
  expect((await run('unlisted')).output).toEqual([
    refused('maps.data.delete'),
    refused('maps.data.delete'),
    refused('instance.users.list'),
  ]);
});

test('a thread is kept for the next execution of the same file, and ends with the worker', async () => {
  expect((await run('counts')).output).toEqual(['1']);
  expect((await run('counts')).output).toEqual(['2']);
});

test('executions at the same time have a thread each', async () => {
  const both = async () =>
    (await Promise.all([run('meets'), run('meets')])).map(({ output }) => String(output[0])).toSorted((a, b) => a.localeCompare(b));
  // In two new threads, then in the two that were kept.
  const first = await both();
  expect(new Set(first).size).toBe(2);
  expect(await both()).toEqual(first);
});

test('input is checked in the thread by the schema of the step', async () => {
  await expect(run('counts', { more: 1 })).rejects.toThrow('does not fit its schema');
});

test('progress that no heartbeat carries is refused where it is given, by its field, and not tried again', async () => {
  expect((await run('reports')).output).toEqual([
    'context.progress does not fit: progress.done: Invalid input: expected number, received bigint',
    'context.progress does not fit: progress.done: Invalid input: expected number, received NaN',
    'context.progress does not fit: progress.total: Invalid input: expected number, received Infinity',
    'context.progress does not fit: progress.note: Invalid input: expected string, received function',
    'taken',
  ]);
  const { attempt, argsOf } = world.newRun();
  await expect(attempt('acme.overflows', 'main', argsOf('acme.overflows', { url }))).rejects.toMatchObject({
    type: 'BadInput',
    nonRetryable: true,
    message: expect.stringContaining('progress.done'),
  });
});

test('a step that needs too much memory fails by itself', async () => {
  await expect(run('hoards')).rejects.toThrow('its code needs more than 64 MiB of memory');
  // Where that is is looked for when it is tried again.
  await expect(run('hoards')).rejects.toMatchObject({ details: [{ at: [`${dir}/hoards.mts:12:30`] }] });
  expect((await run('counts')).output[0]).toBeDefined();
});

test('a file that has changed since the worker started is not mixed with what it was', async () => {
  const { attempt, argsOf } = world.newRun();
  await writeFile(join(dir, 'calls.mts'), `${steps.calls}\n`);
  // The thread that is there has the former text still.
  world.threads.close();
  await expect(attempt('acme.calls', 'main', argsOf('acme.calls', { url }))).rejects.toThrow('is not what it was when this worker started');
});
