import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { portolan } from './support.ts';

type Answer = { status: number; body?: unknown; headers?: Record<string, string> } | 'cut';

let cwd: string;
let server: Server;
let answers: Answer[];
let seen: { line: string; authorization: string | undefined }[];

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'portolan-call-'));
  answers = [];
  seen = [];
  server = createServer((request: IncomingMessage, response: ServerResponse) => {
    seen.push({ line: `${request.method} ${request.url}`, authorization: request.headers.authorization });
    request.resume().on('end', () => {
      const answer = answers.shift() ?? { status: 500 };
      if (answer === 'cut') return void request.socket.destroy();
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(JSON.stringify(answer.body ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await writeFile(join(cwd, 'key'), 'nk-secret\n', { mode: 0o600 });
  await writeFile(
    join(cwd, 'portolan.config.mts'),
    `const service = { url: 'http://127.0.0.1:${(server.address() as AddressInfo).port}', secret: { file: 'key' } };
export default { connections: { here: { maps: service, instance: service } } };`,
  );
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(cwd, { recursive: true, force: true });
});

const call = (...argv: string[]) => portolan(['call', ...argv, '--connection', 'here'], { cwd });
const id = '0f8fad5b-d9cb-469f-a165-70867728950e';

describe('call', () => {
  test('sends with the connection’s key, prints JSON, and says where it went', async () => {
    answers = [{ status: 200, body: { sub: 'ada' } }];
    const { code, out, err } = await call('maps.user.get');
    expect([code, JSON.parse(out)]).toEqual([0, { sub: 'ada', organizations: [] }]);
    expect(err).toMatch(/^maps: here \(local, http:\/\/127\.0\.0\.1:\d+\)\n$/);
    expect(seen).toEqual([{ line: 'GET /v1/user/', authorization: 'Bearer nk-secret' }]);
    expect(out + err).not.toContain('nk-secret');
  });

  test('says what to do about a key that is not accepted', async () => {
    answers = [{ status: 401, body: { detail: 'unknown key' } }];
    const { code, err } = await call('maps.user.get');
    expect(code).toBe(1);
    expect(err).toContain(
      '✗ maps.user.get answered 401: unknown key\n  the service does not accept the key: check the connection’s secret',
    );
  });

  test('shows what the service says in one line, in our colours and in the order in which it stands', async () => {
    answers = [{ status: 400, body: { detail: 'no\x1b[31m red\n✗ all is \u202elost\x1b]0;x\x07' } }];
    const { err } = await call('maps.user.get');
    expect(err.split('\n')[1]).toBe('✗ maps.user.get answered 400: no[31m red ✗ all is lost]0;x');
  });

  test('checks the input before anything is sent', async () => {
    const { code, err } = await call('maps.projects.get', '--json', '{"project_id": 7}');
    expect(code).toBe(2);
    expect(err).toContain('the input does not fit maps.projects.get\n');
    expect(err).toContain('project_id:');
    expect((await call('maps.projects.get', '--json', '{')).err).toContain('--json is not JSON');
    expect((await call('maps.projects.get', '--json', '[]')).err).toContain('--json must be an object');
    expect((await call('maps.data.addArrow')).err).toContain('its body is missing');
    expect(seen).toEqual([]);
  });

  test('says in one line that an operation is deprecated, and sends it', async () => {
    answers = [{ status: 200, body: { result: 'ok' } }];
    const { code, err } = await call('maps.indices.update', '--json', JSON.stringify({ project_id: id }));
    expect([code, seen.map(({ line }) => line)]).toEqual([0, ['POST /v1/project/update_indices']]);
    expect(err.split('\n').slice(1)).toEqual(['maps.indices.update is deprecated: the text names no other operation for the same', '']);
    expect((await portolan(['call'], { cwd })).out).toMatch(/^maps\.indices\.update +reconcile, deprecated /m);
    expect((await call('maps.members.remove', '--describe')).out).toContain(
      'also by POST /v1/organization/members/remove, which is deprecated',
    );
  });

  test('names the operation that was meant', async () => {
    expect((await call('maps.project.get')).err).toContain('did you mean maps.projects.get?');
  });

  test.each([
    ['a body of bytes', 'maps.data.addArrow', 'nowhere.arrow', 'there is no file /'],
    ['a field of a form', 'instance.files.upload', 'file=nowhere.pdf', 'there is no file /'],
    ['a folder', 'instance.files.upload', 'file=.', 'is a folder'],
  ])('a file to be sent that cannot be read is a wrong command line: %s', async (_, operation, file, says) => {
    const { code, err } = await call(operation, '--file', file);
    expect([code, err]).toEqual([2, expect.stringContaining(`--file ${file}: `)]);
    expect(err).toContain(says);
    expect(err).toContain('name a file that you may read');
    expect(seen).toEqual([]);
  });

  test('a byte order mark before the input is read over', async () => {
    answers = [{ status: 200, body: { sub: 'ada' } }];
    await writeFile(join(cwd, 'input.json'), '\uFEFF{}\r\n');
    expect(await call('maps.user.get', '--json', '@input.json')).toMatchObject({ code: 0 });
  });

  test('does nothing that cannot be taken back without --yes', async () => {
    const input = JSON.stringify({ project_id: id, index_id: id });
    const refused = await call('maps.indices.remove', '--json', input);
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('cannot be taken back')]);
    expect(seen).toEqual([]);
    answers = [{ status: 200, body: { result: 'ok' } }];
    expect((await call('maps.indices.remove', '--json', input, '--yes')).code).toBe(0);
  });

  test('asks for the file of its answer before it sends anything', async () => {
    for (const [out, says] of [
      ['', 'has no name'],
      ['.', 'is a folder'],
    ] as const)
      expect(await call('maps.user.get', '--out', out)).toMatchObject({ code: 2, err: expect.stringContaining(says) });
    expect(seen).toHaveLength(0);
  });

  test('writes an answer of JSON into the file that --out names, and says where it cannot', async () => {
    answers = [{ status: 200, body: { sub: 'ada' } }];
    expect(await call('maps.user.get', '--out', 'user.json')).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringContaining('to user.json'),
    });
    expect(JSON.parse(await readFile(join(cwd, 'user.json'), 'utf8'))).toMatchObject({ sub: 'ada' });
    expect(await call('instance.users.list', '--all', '--out', 'users.json')).toMatchObject({ code: 2 });
    expect(seen).toHaveLength(1);
  });

  test('an option for a secret, and a field of the input, that the operation does not have are refused', async () => {
    expect(await call('maps.user.get', '--secret', 'mine')).toMatchObject({ code: 2, err: expect.stringContaining('leave --secret away') });
    expect(await call('maps.user.get', '--reveal')).toMatchObject({ code: 2, err: expect.stringContaining('leave --reveal away') });
    for (const operation of ['maps.user.get', 'maps.projects.list', 'maps.health.get'])
      expect(await call(operation, '--json', '{"limit": 1}')).toMatchObject({ code: 2, err: expect.stringContaining('limit') });
    expect(seen).toEqual([]);
  });

  test('ends 130 where it is interrupted while it waits', async () => {
    answers = [{ status: 429, headers: { 'retry-after': '100' } }];
    const stop = new AbortController();
    const { code } = await portolan(['call', 'maps.user.get', '--connection', 'here'], {
      cwd,
      signal: stop.signal,
      stderr: { write: (text: string) => (text.includes('again in') && stop.abort(), true) },
    });
    expect(code).toBe(130);
    expect(seen).toHaveLength(1);
  });

  test('waits out Retry-After and then gets its answer', async () => {
    answers = [
      { status: 429, headers: { 'retry-after': '1' } },
      { status: 200, body: { sub: 'ada' } },
    ];
    const from = performance.now();
    const { code, err } = await call('maps.user.get');
    expect([code, seen.length]).toEqual([0, 2]);
    expect(performance.now() - from).toBeGreaterThan(1_000);
    expect(err).toContain('again in 1 s');
  });

  test('waits for a page in the middle of a list as for any other call', async () => {
    const page = (name: string, nextCursor: string | null) => ({ status: 200, body: { data: [{ id: name }], nextCursor } });
    answers = [page('a', '2'), { status: 429, headers: { 'retry-after': '1' } }, page('b', null)];
    const { code, out, err } = await call('instance.users.list', '--all');
    expect([code, err]).toEqual([0, expect.stringContaining('again in 1 s')]);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual(['a', 'b']);
    expect(seen.map(({ line }) => line)).toEqual(['', '?cursor=2', '?cursor=2'].map((query) => `GET /api/v0/users${query}`));
  });

  test.each([
    ['is cut', 'cut'],
    ['is a 408 that says when to come again', { status: 408, headers: { 'retry-after': '1' } }],
  ] as const)('never repeats a call that may have had its effect: its answer %s', async (_, answer) => {
    answers = [answer, answer, answer];
    const { code, err } = await call('maps.organizations.create', '--json', '{"nickname": "x"}');
    expect([code, seen.length]).toEqual([1, 1]);
    expect(err).toContain('it may have happened: look it up before you send it again');
  });

  test('a refusal ends 1 with status and detail', async () => {
    answers = [{ status: 403, body: { detail: 'not yours' } }];
    const { code, err } = await call('maps.user.get');
    expect([code, err]).toEqual([1, expect.stringContaining('maps.user.get answered 403: not yours')]);
  });

  test('describes every operation without sending', async () => {
    const { out } = await portolan(['call']);
    const names = out
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' ')[0]!);
    expect(names).toContain('maps.tags.update');
    for (const name of names) {
      const page = await portolan(['call', name, '--describe']);
      expect([page.code, page.out]).toEqual([0, expect.stringContaining('effect ')]);
    }
  });
});
