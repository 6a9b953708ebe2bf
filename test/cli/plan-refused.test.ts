import { expect, test } from 'vitest';
import { configured } from '../config/support.ts';
import { portolan } from './support.ts';

const api = new URL('../../index.ts', import.meta.url).href;
const step = `import { defineSweep, z } from ${JSON.stringify(api)};
export default defineSweep({
  name: 'acme.listed',
  input: z.strictObject({}),
  effect: 'never',
  example: {},
  secrets: ['acme'],
  items: () => ['a'],
  async each() {
    return {};
  },
});
`;

/** A project whose only step lists a secret that is in this variable. */
const project = (env: string): string =>
  configured(
    { secrets: { acme: { env } } },
    {
      'steps/listed.mts': step,
      'all.yaml': 'name: all\nsteps:\n  all: { use: acme.listed }\n',
      'none.yaml':
        'name: none\nparams: { all: { type: boolean, default: false } }\nsteps:\n  all: { use: acme.listed, when: "${{ params.all }}" }\n',
    },
  );

test('plan ends with 2 where it says that a run is refused, and shows the plan all the same', async () => {
  const cwd = project('NOT_SET_HERE_4711');
  const refused = await portolan(['plan', 'all.yaml'], { cwd });
  expect([refused.code, refused.out, refused.err]).toEqual([
    2,
    expect.stringContaining('total'),
    expect.stringMatching(/needs the secret 'acme': .*NOT_SET_HERE_4711 is not set: a run is refused before it sends anything/),
  ]);
  const { code, out } = await portolan(['plan', 'all.yaml', '--json', '--offline'], { cwd });
  expect([code, (JSON.parse(out) as { missing: unknown[] }).missing.length]).toEqual([2, 1]);
});

test('plan ends with 0 where nothing is missing, or only to a step that is skipped', async () => {
  expect(await portolan(['plan', 'all.yaml'], { cwd: project('PATH') })).toMatchObject({ code: 0, err: '' });
  expect(await portolan(['plan', 'none.yaml'], { cwd: project('NOT_SET_HERE_4711') })).toMatchObject({ code: 0, err: '' });
});
