import { readdirSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCalls } from '../../client/invoke.ts';
import { createPermits } from '../../client/permits.ts';
import { createProject, createWorld } from './world.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

test('blobs come back as their hashes, in order, once each on disk, and go with their dataset', async () => {
  await using world = await createWorld();
  const { url } = await world.service.listen();
  const { project_id } = await createProject(world);
  const { invoke } = createCalls(() => ({ baseUrl: url, token: world.service.adminKeys.maps, permits: createPermits() }));
  const blobs = ['one', 'two', 'one'].map((text) => new Blob([text]));
  const { hashes } = await invoke('maps.blobs.add', { dataset_id: project_id, blobs });
  expect(hashes).toEqual(['one', 'two', 'one'].map(sha256));
  expect((await invoke('maps.blobs.add', { dataset_id: project_id, blobs: [new Blob(['two'])] })).hashes).toEqual([sha256('two')]);
  const folder = join(world.dataDir, 'blobs', project_id);
  expect(readdirSync(folder).toSorted()).toEqual(['one', 'two'].map(sha256).toSorted());
  await invoke('maps.projects.remove', { project_id });
  expect(readdirSync(join(world.dataDir, 'blobs'))).toEqual([]);
});

test('as a public client sends them: parts without a type and with one name', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  const form = new FormData();
  form.append('dataset_id', project_id);
  form.append('blobs', new Blob(['a']), 'blobs');
  form.append('blobs', new Blob(['b']), 'blobs');
  const headers = { authorization: `Bearer ${world.service.adminKeys.maps}` };
  const send = (body: FormData | string, more: Record<string, string> = {}) =>
    world.service.fetch(
      new Request('http://127.0.0.1/v1/project/data/add/blobs', { method: 'POST', headers: { ...headers, ...more }, body }),
    );
  expect(await (await send(form)).json()).toEqual({ hashes: [sha256('a'), sha256('b')] });
  const refused = await send('{}', { 'content-type': 'application/json' });
  expect([refused.status, await refused.json()]).toMatchObject([
    422,
    { detail: [{ loc: ['body'], msg: expect.stringContaining('not a form') }] },
  ]);
  form.append('urls', 'https://example.com/a.png');
  const unfetched = await send(form);
  expect([unfetched.status, JSON.stringify(await unfetched.json())]).toEqual([422, expect.stringContaining('urls')]);
});

test('an organization is read by id or slug, its datasets by pages', async () => {
  await using world = await createWorld();
  const { url } = await world.service.listen();
  const made: string[] = [];
  for (let at = 0; at < 5; at++) made.push((await createProject(world, `page-${at}`)).project_id);
  const { pages, invoke } = createCalls(() => ({ baseUrl: url, token: world.service.adminKeys.maps, permits: createPermits() }));
  const { slug, organization_id } = world.organization;
  for (const limit of [undefined, 1, 2, 5, 100]) {
    const seen: string[] = [];
    for await (const { projects } of pages('maps.organizations.get', { organization_id_or_slug: slug, ...(limit ? { limit } : {}) }))
      seen.push(...projects.map(({ id }) => id));
    expect(seen).toEqual(made);
  }
  expect(
    await invoke('maps.organizations.get', { organization_id_or_slug: organization_id.toUpperCase(), limit: 1, offset_number: 4 }),
  ).toMatchObject({
    slug,
    projects: [{ id: made[4] }],
  });
  await expect(invoke('maps.organizations.get', { organization_id_or_slug: 'nobody' })).rejects.toMatchObject({ status: 404 });
  expect((await world.api.get(`/v1/organization/${slug}?limit=x`)).body.detail[0]).toMatchObject({ loc: ['query', 'limit'] });
});

test('files of a form are given on the command line', async () => {
  await using world = await createWorld();
  const { url } = await world.service.listen();
  const { project_id } = await createProject(world);
  const { portolan } = await import('../cli/support.ts');
  writeFileSync(join(world.dataDir, 'key'), world.service.adminKeys.maps, { mode: 0o600 });
  writeFileSync(
    join(world.dataDir, 'portolan.config.mts'),
    `export default { connections: { here: { maps: { url: '${url}', secret: { file: 'key' } } } } };`,
  );
  for (const name of ['a', 'b']) writeFileSync(join(world.dataDir, name), name);
  const { code, out } = await portolan(
    [
      'call',
      'maps.blobs.add',
      '--json',
      JSON.stringify({ dataset_id: project_id }),
      '--file',
      'blobs=a',
      '--file',
      'blobs=b',
      '-c',
      'here',
    ],
    { cwd: world.dataDir },
  );
  expect([code, JSON.parse(out)]).toEqual([0, { hashes: [sha256('a'), sha256('b')] }]);
});

test('a blob is given by a URL without a key, which ends, is of this blob alone, and shows in no browser', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  await world.service.listen();
  const { invoke } = createCalls(() => ({ baseUrl: world.service.url, token: world.service.adminKeys.maps, permits: createPermits() }));
  const { hashes } = await invoke('maps.blobs.add', { dataset_id: project_id, blobs: ['<script>', 'other'] });
  const [hash, other] = hashes as [string, string];
  const { url } = await invoke('maps.blobs.get', { dataset_id: project_id, blob_hash: hash });
  const got = await fetch(url);
  expect([got.status, await got.text(), got.headers.get('content-type'), got.headers.get('content-disposition')]).toEqual([
    200,
    '<script>',
    'application/octet-stream',
    'attachment',
  ]);
  expect((await fetch(url.replace(hash, other))).status).toBe(403);
  await world.api.post('/__control/clock', { offsetSeconds: 3_601 });
  const late = await fetch(url);
  expect([late.status, ((await late.json()) as { detail: string }).detail]).toEqual([
    403,
    expect.stringContaining('data/get/blob gives a new one'),
  ]);
  for (const blob_hash of [sha256('none'), '../../records.sqlite'])
    await expect(invoke('maps.blobs.get', { dataset_id: project_id, blob_hash })).rejects.toMatchObject({ status: 404 });
});
