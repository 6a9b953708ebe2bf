import { beforeAll, expect, test, vi } from 'vitest';
import { documents } from '../../cli/json/documents.ts';
import type { StepTest } from '../../cli/project/test-step.ts';
import { useWorld } from './support.ts';

const world = useWorld();
const api = new URL('../../index.ts', import.meta.url).href;

beforeAll(async () => {
  await world.write(
    'steps/score.mts',
    `import { defineSweep, z } from ${JSON.stringify(api)};
export default defineSweep({
  name: 'acme.score',
  input: z.strictObject({ texts: z.array(z.string()) }),
  effect: 'never',
  result: z.object({ score: z.number() }),
  example: { texts: ['a', 'b', 'c'] },
  fake: { 'POST https://api.acme.com/*': [{ status: 429, headers: { 'Retry-After': '3600' } }, { body: '0.5' }, { status: 422 }, { body: '0.7' }] },
  atOnce: 1,
  items: ({ texts }) => texts,
  async each(text, { fetch }) {
    const reply = await fetch('https://api.acme.com/score?key=hidden', { method: 'POST', body: text, auth: 'acme' });
    if (reply.status === 422) return { status: 'skipped', reason: 'no text' };
    return { result: { score: Number(await reply.text()) } };
  },
});
`,
  );
  await world.write(
    'steps/who.mts',
    `import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({
  name: 'acme.who',
  input: z.strictObject({ shout: z.boolean() }),
  output: z.object({ user: z.string() }),
  effect: 'safe',
  operations: ['maps.user.get'],
  example: { shout: false },
  async run({ shout }, { maps }) {
    const { sub } = await maps.user.get({});
    if (shout) throw new Error('too loud');
    return { user: sub };
  },
});
`,
  );
  await world.write(
    'steps/job.mts',
    `import { definePoll, z } from ${JSON.stringify(api)};
export default definePoll({
  name: 'acme.job',
  input: z.strictObject({}),
  output: z.object({ rows: z.int() }),
  effect: 'never',
  acts: { export: 1 },
  example: {},
  fake: {
    'POST https://api.acme.com/jobs': { body: { id: 'j1' } },
    'GET https://api.acme.com/jobs/j1': [{ body: { state: 'running' } }, { body: { state: 'done', rows: 3 } }],
  },
  start: async (_, { fetch }) => (await fetch('https://api.acme.com/jobs', { method: 'POST' })).json() as Promise<{ id: string }>,
  async check({ id }, { fetch }) {
    const job = (await (await fetch(\`https://api.acme.com/jobs/\${id}\`)).json()) as { state: string; rows: number };
    return job.state === 'done' ? { output: { rows: job.rows } } : { againSeconds: 3_600 };
  },
});
`,
  );
});

const tried = async (name: string, ...more: string[]) => {
  const { code, out } = await world.portolan(['step', 'test', name, '--json', ...more]);
  documents.tried.schema.parse(JSON.parse(out));
  return { code, ...(JSON.parse(out.trim().split('\n').at(-1)!) as Omit<StepTest, 'with'>) };
};

test('a sweep is tried on its example with fake answers: what was sent, waits, fates and results', async () => {
  const made = await tried('acme.score');
  expect(made).toMatchObject({
    code: 0,
    fate: 'done',
    listed: 3,
    items: [
      { item: 'a', status: 'done' },
      { item: 'b', status: 'skipped', reason: 'no text' },
      { item: 'c', status: 'done' },
    ],
    results: [
      { item: 'a', score: 0.5 },
      { item: 'c', score: 0.7 },
    ],
    output: { items: 3, done: 2, failed: 0, statuses: { skipped: 1 } },
    missing: [],
  });
  // The run store of a test is gone when it is shown.
  expect(made.output).not.toHaveProperty('results');
  expect(made.sent.map(({ request, status }) => `${request} ${status}`)).toEqual(
    [429, 200, 422, 200].map((status) => `POST https://api.acme.com/score ${status}`),
  );
  expect(made.again).toEqual([{ why: expect.stringContaining('closed for 3600 s'), seconds: 3600.02 }]);
  expect(await tried('acme.score', '--first', '1')).toMatchObject({ code: 0, listed: 3, items: [{ item: 'a' }] });
});

test('a poll is tried to its end, looks beside each other', async () => {
  expect(await tried('acme.job')).toMatchObject({ code: 0, fate: 'done', output: { rows: 3 }, again: [{ seconds: 3_600 }] });
});

test('operations are answered by the local service where it is named, and what is missing in the fake is said where it is not', async () => {
  const { calls, value: real } = await world.callsOf(() => tried('acme.who', '-c', 'local'));
  expect(real).toMatchObject({
    code: 0,
    fate: 'done',
    output: { user: expect.any(String) },
    sent: [{ request: expect.stringMatching(/^GET http:\/\/127\.0\.0\.1:\d+\/v1\/user\/$/), status: 200 }],
  });
  expect(calls).toEqual(['maps.user.get']);
  const faked = await world.callsOf(() => tried('acme.who'));
  expect(faked.calls).toEqual([]);
  expect(faked.value).toMatchObject({ code: 1, fate: 'failed', missing: [expect.stringMatching(/^GET \/v1\/user/)] });
});

test('an error names its line; what is known before is refused before anything is sent', async () => {
  const loud = await world.portolan(['step', 'test', 'who', '-c', 'local', '--input', '{"shout":true}']);
  expect(loud.code).toBe(2);
  expect(loud.err).toContain('did you mean acme.who?');
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const { code, out, err } = await world.portolan(['step', 'test', 'acme.who', '-c', 'local', '--input', '{"shout":true}']);
  const raw = stderr.mock.calls.flat();
  stderr.mockRestore();
  expect(raw).not.toContainEqual(expect.stringContaining('too loud'));
  expect([code, err, out]).toEqual([
    1,
    '',
    expect.stringMatching(/✗ failed\n {2}because {2}too loud \(Error\)\n {2}at {7}.*steps\/who\.mts:11:\d+/),
  ]);
  for (const [args, said] of [
    [['acme.who', '--input', '{"shot":true}'], "did you mean 'shout'?"],
    [['acme.who', '--input', '{"shot":true,"shut":1}'], "did you mean 'shout'? "],
    [['acme.who', '--input', '{'], 'is not JSON'],
    [['acme.who', '-c', 'loca'], "did you mean 'local'?"],
    [['acme.score', '--first', 'x'], 'a number of items was expected'],
    [['acme.job', '-c', 'local'], 'add --yes'],
  ] as const) {
    const refused = await world.portolan(['step', 'test', ...args]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(said)]);
  }
});
