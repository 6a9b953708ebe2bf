import { chmod } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { limitingNow } from '../../runs/limiting.ts';
import { watchRun } from '../../runs/watch.ts';
import { useWorld } from './support.ts';

const world = useWorld();
const api = new URL('../../index.ts', import.meta.url).href;

/** The secret is listed by one step, and asked for by both. */
const sweep = (name: string, more: string): Promise<string> =>
  world.write(
    `steps/${name}.mts`,
    `import { defineSweep, z } from ${JSON.stringify(api)};
export default defineSweep({
  name: 'acme.${name}',
  input: z.strictObject({}),
  effect: 'never',
  example: {},
  ${more}
  items: () => ['a', 'b', 'c'],
  async each(item, { secret }) {
    return { reason: \`\${item} \${(await secret('acme')).length}\` };
  },
});
`,
  );
const configured = (secrets: object): Promise<string> =>
  world.write('portolan.config.mts', `export default { secrets: ${JSON.stringify(secrets)} };`);
const pipeline = (name: string): string => `name: ${name}\nsteps:\n  all: { use: acme.${name} }\n`;

beforeAll(async () => {
  await sweep('listed', "secrets: ['acme'],");
  await sweep('asked', '');
});

test('a secret that a step lists and that is not there is said before the run', async () => {
  const file = await world.write('pipelines/listed.yaml', pipeline('listed'));
  for (const [secrets, says, remedy] of [
    [{ acmee: { env: 'NOT_SET_HERE' } }, "is not under secrets in .*; did you mean 'acmee'", "secrets: { acme: { env: 'NAME' } }"],
    [{ acme: { env: 'NOT_SET_HERE' } }, 'secrets.acme: the environment variable NOT_SET_HERE is not set', 'export NOT_SET_HERE=…'],
  ] as const) {
    await configured(secrets);
    const refused = await world.portolan(['run', file, '-c', 'local']);
    expect([refused.code, refused.out]).toEqual([2, '']);
    expect(refused.err).toMatch(new RegExp(`steps.all needs the secret 'acme': .*${says}`));
    expect(refused.err).toContain(remedy);
    const planned = await world.portolan(['plan', file, '-c', 'local']);
    expect([planned.code, planned.err]).toEqual([2, expect.stringMatching(new RegExp(`needs the secret 'acme': .*${says}`))]);
    const { missing } = JSON.parse((await world.portolan(['plan', file, '-c', 'local', '--json'])).out) as { missing: unknown };
    expect(missing).toEqual([{ step: 'all', says: expect.stringMatching(says), remedy: expect.stringContaining(remedy) }]);
    const tried = await world.portolan(['step', 'test', 'acme.listed', '-c', 'local']);
    expect([tried.code, tried.err]).toEqual([2, expect.stringMatching(says)]);
    expect((await world.portolan(['doctor'])).out).toMatch(new RegExp(`✗ secrets .*${says}`));
  }
  await configured({ acme: { env: 'PATH' }, spare: { env: 'NOT_SET_HERE' } });
  expect((await world.portolan(['doctor'])).out).toMatch(/✓ secrets .*NOT_SET_HERE is not set/);
});

test('a step that is skipped needs none of its secrets', async () => {
  await configured({ acme: { env: 'NOT_SET_HERE' } });
  const file = await world.write(
    'pipelines/skipped.yaml',
    'name: skipped\nparams: { all: { type: boolean, default: false } }\nsteps:\n  all: { use: acme.listed, when: "${{ params.all }}" }\n',
  );
  expect((await world.portolan(['run', file, '-c', 'local'])).code).toBe(0);
  expect((await world.portolan(['run', file, '-c', 'local', '--param', 'all=true'])).code).toBe(2);
});

test('in a run it is waited for, by name and with what to do, and no item fails', async () => {
  await configured({ acme: { env: 'NOT_SET_HERE' } });
  await world.worker.stop();
  await world.worker.start(0);
  const id = await world.start(pipeline('asked'));
  let says = '';
  for await (const snapshot of watchRun(world.place, await world.locate(id), { minMs: 50 })) {
    says = limitingNow(snapshot).find(({ cause }) => cause === 'missing')?.text ?? '';
    if (says !== '') break;
  }
  expect(says).toMatch(/waits, no attempt used: secrets\.acme: the environment variable NOT_SET_HERE is not set; .*export NOT_SET_HERE=…/);
  await chmod(await world.write('acme.key', 'nine-word'), 0o600);
  await configured({ acme: { file: 'acme.key' } });
  await world.worker.stop();
  await world.worker.start(0);
  expect((await world.ended(id)).view.state).toBe('done');
  const items = await world.store(id).readItems({ step: 'all' });
  expect(items.map(({ item, status, reason }) => [item, status, reason])).toEqual([
    ['a', 'done', 'a 9'],
    ['b', 'done', 'b 9'],
    ['c', 'done', 'c 9'],
  ]);
});
