import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { alertReceiver, isGenuine, type AlertReceiver } from '../support/alert-receiver.ts';
import { selfSigned } from '../support/self-signed.ts';
import { portolan } from './support.ts';

const password = 'canary-of-a-mailbox-4711';
let cwd = '';
let receiver: AlertReceiver;
let key = '';
let cert = '';
const mails: { by: string | undefined; to: string[]; secure: boolean; text: string }[] = [];
let refusal: { onData?: string } = {};
const servers: SMTPServer[] = [];

const smtp = (options: SMTPServerOptions): Promise<number> => {
  const server = new SMTPServer({
    key,
    cert,
    onAuth: (auth, _, done) =>
      auth.password === password ? done(null, { user: auth.username! }) : done(Object.assign(new Error('no'), { responseCode: 535 })),
    onData(stream, session, done) {
      let text = '';
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      stream.on('end', () => {
        if (refusal.onData) return done(Object.assign(new Error(refusal.onData), { responseCode: Number(refusal.onData.slice(0, 3)) }));
        const { envelope, user, secure } = session;
        mails.push({ by: user as string | undefined, to: envelope.rcptTo.map(({ address }) => address), secure, text });
        done();
      });
    },
    ...options,
  });
  servers.push(server);
  server.on('error', () => undefined);
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.server.address() as AddressInfo).port)));
};

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'portolan-notify-'));
  const made = await selfSigned(cwd);
  key = await readFile(made.key, 'utf8');
  cert = await readFile(made.certificate, 'utf8');
  setDefaultCACertificates([...getCACertificates('default'), cert]);
  receiver = await alertReceiver();
  const [starttls, partly, implicit, bare] = await Promise.all([
    smtp({}),
    smtp({
      onRcptTo: ({ address }, _, done) =>
        address.startsWith('night') ? done(Object.assign(new Error('later'), { responseCode: 450 })) : done(),
    }),
    smtp({ secure: true }),
    smtp({ disabledCommands: ['STARTTLS', 'AUTH'] }),
  ]);
  const node = JSON.stringify(process.execPath);
  const mail = (more: string): string =>
    `{ mail: { host: 'localhost', from: 'portolan@example.com', to: ['ops@example.com', 'night@example.com'], ${more} } }`;
  process.env['NOTIFY_HOOK'] = 'the-hook';
  process.env['NOTIFY_MAIL'] = password;
  process.env['NOTIFY_WRONG'] = 'wrong';
  await writeFile(
    join(cwd, 'portolan.config.mts'),
    `export default {
  secrets: { hook: { env: 'NOTIFY_HOOK' }, mail: { env: 'NOTIFY_MAIL' }, wrong: { env: 'NOTIFY_WRONG' }, absent: { env: 'NOTIFY_ABSENT' } },
  channels: {
    ops: { webhook: '${receiver.url}', secret: 'hook' },
    unsigned: { webhook: '${receiver.url}', secret: 'absent' },
    file: { command: [${node}, '-e', "require('fs').writeFileSync('said.json', require('fs').readFileSync(0)); if (process.env.NOTIFY_HOOK) process.exit(9)"] },
    ends: { command: [${node}, '-e', 'process.exit(3)'] },
    slow: { command: [${node}, '-e', 'setInterval(() => 0, 1000)'], timeout: '1s' },
    none: { command: ['no-such-program', '; touch injected'] },
    starttls: ${mail(`port: ${starttls}, user: 'me', secret: 'mail'`)},
    implicit: ${mail(`port: ${implicit}, tls: 'implicit', user: 'me', secret: 'mail'`)},
    locked: ${mail(`port: ${starttls}, user: 'me', secret: 'wrong'`)},
    partly: ${mail(`port: ${partly}, user: 'me', secret: 'mail'`)},
    bare: ${mail(`port: ${bare}`)},
    here: ${mail(`port: ${bare}, tls: 'none'`)},
  },
};`,
  );
});
beforeEach(() => {
  mails.length = 0;
  refusal = {};
});
afterAll(async () => {
  await receiver.close();
  await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
  await rm(cwd, { recursive: true, force: true });
});

const sent = async (channel: string) => {
  const { code, out, err } = await portolan(['notify', 'test', channel], { cwd });
  return { code, said: out + err };
};

test('a test of a webhook is posted once, signed, with an id of its own', async () => {
  const { code, out } = await portolan(['notify', 'test', 'ops', '--json'], { cwd });
  const { id, ...line } = JSON.parse(out) as { id: string };
  expect([code, line]).toEqual([0, { channel: 'ops', kind: 'webhook', sent: true, note: 'answered 200' }]);
  expect(receiver.of(id)).toHaveLength(1);
  expect(isGenuine(receiver.of(id)[0]!, 'the-hook')).toBe(true);
});

test('a channel that does not take the test is an error with its reason', async () => {
  receiver.answer = (response) => response.writeHead(307, { location: '/elsewhere' }).end();
  expect(await sent('ops')).toEqual({ code: 1, said: expect.stringContaining('answered 307: redirects are not followed') });
  expect(receiver.all.some(({ path }) => path === '/elsewhere')).toBe(false);
  expect(await sent('ends')).toEqual({ code: 1, said: expect.stringContaining('exit code 3') });
  expect(await sent('slow')).toEqual({ code: 1, said: expect.stringContaining('ended after 1 s, its longest time') });
  expect(await sent('none')).toEqual({ code: 1, said: expect.stringContaining('no-such-program cannot be started: ENOENT') });
  expect(await sent('unsigned')).toEqual({ code: 2, said: expect.stringContaining('the environment variable NOTIFY_ABSENT is not set') });
  expect(await sent('pos')).toEqual({ code: 2, said: expect.stringContaining("there is no channel 'pos'") });
  expect(await sent('opss')).toEqual({ code: 2, said: expect.stringContaining("did you mean 'ops'?") });
});

test('a command gets the alert on its standard input, in the folder of the configuration, without the secrets of the worker', async () => {
  expect(await sent('file')).toMatchObject({ code: 0 });
  expect(JSON.parse(await readFile(join(cwd, 'said.json'), 'utf8'))).toMatchObject({ on: 'test', pipeline: 'test' });
});

test.each(['starttls', 'implicit'])('a mail is sent encrypted, signed in, to all its recipients: %s', async (channel) => {
  expect(await sent(channel)).toMatchObject({ code: 0, said: expect.stringContaining('taken by localhost') });
  expect(mails).toMatchObject([{ by: 'me', secure: true, to: ['ops@example.com', 'night@example.com'] }]);
  expect(mails[0]!.text).toContain('Subject: portolan: a test of this channel, nothing has happened');
  expect(mails[0]!.text).toContain('alert.json');
  expect(mails[0]!.text).not.toContain(password);
});

test('a mail is not sent in the clear to a server that lacks encryption, unless the configuration says so of this machine', async () => {
  expect(await sent('bare')).toMatchObject({ code: 1 });
  expect(mails).toEqual([]);
  expect(await sent('here')).toMatchObject({ code: 0 });
  expect(mails).toHaveLength(1);
});

test('what a mail server refuses is reported by its code', async () => {
  expect(await sent('locked')).toEqual({ code: 1, said: expect.stringContaining('localhost refused: 535') });
  refusal = { onData: '554 no' };
  expect(await sent('starttls')).toEqual({ code: 1, said: expect.stringContaining('localhost refused: 554') });
});

test('a mail that is taken for some of its recipients is not said to be sent, and names the others', async () => {
  expect(await sent('partly')).toEqual({
    code: 1,
    said: expect.stringContaining('localhost took it, but not for night@example.com: give each address a channel of its own'),
  });
  expect(mails.map(({ to }) => to)).toEqual([['ops@example.com']]);
});

test.each([
  [`{ webhook: 'http://hooks.example.com/x', secret: 'hook' }`, 'must begin with https://'],
  [`{ webhook: 'https://me:you@hooks.example.com/x', secret: 'hook' }`, 'must not hold a user or password'],
  [`{ webhook: 'https://hooks.example.com/x' }`, 'names no secret'],
  [`{ command: ['x'], webhook: 'https://hooks.example.com/x', secret: 'hook' }`, 'give one of webhook, command, mail'],
  [`{ command: ['x'], secret: 'hook' }`, 'secret belongs to a webhook'],
  [`{ webhook: 'https://hooks.example.com/x', secret: 'hook', timeout: '5s' }`, 'timeout belongs to a command'],
  [
    `{ mail: { host: 'mail.example.com', tls: 'none', from: 'a@b', to: ['c@d'] } }`,
    'without encryption everyone on the way reads the alert',
  ],
  [`{ command: ['x'], timeout: '10m' }`, 'at most 9m'],
  [`{ mail: { host: 'mail.example.com', user: 'me', from: 'a@b', to: ['c@d'] } }`, 'give user and secret, or neither'],
])('a channel that cannot be meant is refused: %s', async (channel, why) => {
  const folder = await mkdtemp(join(cwd, 'wrong-'));
  await writeFile(join(folder, 'portolan.config.mts'), `export default { channels: { ops: ${channel} } };`);
  expect(await portolan(['notify', 'test', 'ops'], { cwd: folder })).toMatchObject({ code: 2, err: expect.stringContaining(why) });
});

test('a file that alerts a channel which is not there has a finding with the nearest one, and so has the configuration', async () => {
  await writeFile(
    join(cwd, 'alerts.yaml'),
    `name: alerts
connection: local
notify: { on: [failed], to: [ops, opps] }
steps:
  dataset: { use: dataset.ensure, with: { slug: films } }
`,
  );
  const { code, out } = await portolan(['validate', 'alerts.yaml', '--json'], { cwd });
  expect(code).toBe(2);
  expect(JSON.parse(out)).toMatchObject({
    code: 'no-such-channel',
    path: 'notify.to[1]',
    line: 3,
    corrected: 'notify: { on: [failed], to: [ops, ops] }',
  });
  expect(await portolan(['plan', 'alerts.yaml', '--offline'], { cwd })).toMatchObject({
    code: 2,
    err: expect.stringContaining("no channel 'opps'"),
  });
  const folder = await mkdtemp(join(cwd, 'wrong-'));
  await writeFile(join(folder, 'portolan.config.mts'), 'export default {};');
  await copyFile(join(cwd, 'alerts.yaml'), join(folder, 'alerts.yaml'));
  const without = JSON.parse((await portolan(['validate', 'alerts.yaml', '--json'], { cwd: folder })).out.split('\n', 1)[0]!) as unknown;
  expect(without).toMatchObject({ remedy: 'add it to portolan.config.mts: channels: { "ops": { webhook: URL, secret: NAME } }' });
  await writeFile(join(folder, 'portolan.config.mts'), `export default { notify: { on: ['failed'], to: ['ops'] } };`);
  expect(await portolan(['notify', 'test', 'ops'], { cwd: folder })).toMatchObject({
    code: 2,
    err: expect.stringContaining("notify.to: 'ops' is not among channels"),
  });
});

test('the plan of a file holds who is alerted: by the file, else by the configuration', async () => {
  const folder = await mkdtemp(join(cwd, 'defaults-'));
  await writeFile(
    join(folder, 'portolan.config.mts'),
    `export default { channels: { a: { command: ['x'] }, b: { command: ['x'] } }, notify: { on: ['failed'], to: ['a'] } };`,
  );
  const steps = 'connection: local\nsteps: { dataset: { use: dataset.ensure, with: { slug: films } } }\n';
  await writeFile(join(folder, 'own.yaml'), `name: own\nnotify: { on: [approval, approval], late: 26h, to: [b] }\n${steps}`);
  await writeFile(join(folder, 'usual.yaml'), `name: usual\n${steps}`);
  const plan = async (file: string): Promise<unknown> =>
    (JSON.parse((await portolan(['plan', file, '--offline', '--json'], { cwd: folder })).out) as { plan: { notify: unknown } }).plan.notify;
  expect(await plan('own.yaml')).toEqual({ on: ['approval'], to: ['b'], lateMs: 93_600_000 });
  expect(await plan('usual.yaml')).toEqual({ on: ['failed'], to: ['a'] });
});
