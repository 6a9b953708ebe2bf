import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { portolan } from './support.ts';

let cwd = '';
const file = (environments: string): string => `name: where
connection: local
params: { slug: { type: slug, default: films }, size: { type: integer, default: 1 } }
environments:
${environments}steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.slug }}" } }
outputs: { size: "\${{ params.size }}" }
`;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'portolan-environments-'));
  const service = "maps: { url: 'http://127.0.0.1:9', secret: { env: 'KEY' } }";
  await writeFile(join(cwd, 'portolan.config.mts'), `export default { connections: { live: { ${service} } } };\n`);
  await writeFile(
    join(cwd, 'right.yaml'),
    file('  prod: { connection: live, params: { slug: movies } }\n  test: { params: { size: 2 } }\n'),
  );
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const planned = async (...argv: string[]) => {
  const { out } = await portolan(['plan', 'right.yaml', '--json', ...argv], { cwd, env: { KEY: 'k' } });
  const { plan } = JSON.parse(out) as { plan: { params: object; steps: { connections: object }[] } };
  return { params: plan.params, connection: plan.steps[0]!.connections };
};

test('an environment of the file gives its connection and parameters; what the command gives counts before them', async () => {
  expect(await planned()).toEqual({ params: { slug: 'films', size: 1 }, connection: { maps: 'local' } });
  expect(await planned('--env', 'prod')).toEqual({ params: { slug: 'movies', size: 1 }, connection: { maps: 'live' } });
  expect(await planned('--env', 'test')).toEqual({ params: { slug: 'films', size: 2 }, connection: { maps: 'local' } });
  expect(await planned('--env', 'prod', '-p', 'slug=mine', '-c', 'local')).toEqual({
    params: { slug: 'mine', size: 1 },
    connection: { maps: 'local' },
  });
});

test('an environment that the file does not have is refused with those that it has', async () => {
  const { code, err } = await portolan(['plan', 'right.yaml', '--env', 'prdo'], { cwd });
  expect([code, err]).toEqual([2, expect.stringContaining("right.yaml has no environment 'prdo'; did you mean 'prod'?")]);
  expect(err).toContain('its environments: prod, test');
});

test('what is wrong with an environment is found in its line, whichever one a run takes', async () => {
  await writeFile(
    join(cwd, 'wrong.yaml'),
    file('  prod: { connection: lvie, params: { slgu: movies } }\n  test: { params: { size: two } }\n'),
  );
  const { out } = await portolan(['validate', 'wrong.yaml', '--json'], { cwd });
  const found = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { code: string; path: string; line: number; corrected?: string });
  expect(found.map(({ code, path, line }) => `${line} ${code} ${path}`)).toEqual([
    '5 no-such-connection environments.prod.connection',
    '5 unknown-param environments.prod.params.slgu',
    '6 bad-param environments.test.params.size',
  ]);
  expect(found[0]!.corrected).toContain('connection: live');
});
