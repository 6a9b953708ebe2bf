import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../client/create-client.ts';
import { createPermits } from '../../client/permits.ts';
import { root } from '../../scripts/sources.mjs';
import type { ServiceReady } from '../../service/app.ts';

const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portolan-package-'));
  // npm follows no link: where `dist/` is one, what is packed is the checkout that it leads to.
  const packed = dirname(await realpath(join(root, 'dist')));
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: packed });
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'))!;
  await run('tar', ['xzf', tarball], { cwd: folder });
  await symlink(join(root, 'node_modules'), join(folder, 'package', 'node_modules'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the service of the packed tarball finds the sample codes that come with it', async () => {
  const child = fork(
    join(folder, 'package', 'dist', 'service', 'main.js'),
    ['--data', join(folder, 'data'), '--json', '--embedding', 'lexical'],
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  );
  try {
    const [ready] = (await once(child, 'message')) as [ServiceReady];
    const { codes } = createClient('instance', { baseUrl: ready.url, token: ready.adminKeys.instance, permits: createPermits() });
    const { results } = await codes.search({ query: 'width of doors', jurisdiction: 'harborland', codeType: 'building' });
    expect(results.length).toBeGreaterThan(0);
    expect(results[0]!.file).toMatchObject({ jurisdiction: { slug: 'harborland' }, code: { year: 2024 } });
  } finally {
    child.kill('SIGKILL');
  }
});
