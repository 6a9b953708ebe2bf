import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findGarbage } from '../../runs/garbage.ts';
import { newSlug } from '../support/world.ts';
import { serveFile } from '../support/file-server.ts';
import { useWorld } from './support.ts';

const secret = 'canary-of-a-token';
process.env['PORTOLAN_TEST_TOKEN'] = secret;

const world = useWorld({
  prepare: (dir) =>
    writeFile(
      join(dir, 'portolan.config.mts'),
      `export default { sources: { allow: ['127.0.0.1'] }, secrets: { acme: { env: 'PORTOLAN_TEST_TOKEN' } } };\n`,
    ),
});

const day = 86_400_000;

const csv = (rows: number): Buffer => Buffer.from(`id,n\n${Array.from({ length: rows }, (_, at) => `k${at},${at}`).join('\n')}\n`);

const load = (source: string): string => `
name: fetching
params:
  dataset: { type: slug }
steps:
  dataset:
    use: dataset.ensure
    with: { slug: "\${{ params.dataset }}" }
  rows:
    use: dataset.append
    with: { dataset: "\${{ steps.dataset.id }}", source: ${source}, id: { column: id } }
`;

test('rows of a file that a web server has are sent, and the secret that it took is kept nowhere', async () => {
  await using server = await serveFile(csv(50));
  server.twist(({ headers }, response) => headers.authorization !== `Bearer ${secret}` && (response.writeHead(401).end(), true));
  const source = `{ http: "${server.origin}/rows.csv", headers: { authorization: { secret: acme, scheme: Bearer } }, csv: { header: true } }`;
  const { result } = await world.run(load(source), { dataset: newSlug('fetched') });
  expect(result.state).toBe('done');
  const { view } = await world.ended(result.run);
  expect(view.steps[1]!.output).toMatchObject({ rows: 50, added: 50 });
  const kept = JSON.stringify(await world.histories(result.run)) + (await filesOf(result.run));
  expect(kept).toContain('acme');
  expect(kept).not.toContain(secret);
});

test('a file that is replaced while it is read fails the run before anything is sent', async () => {
  await using server = await serveFile(csv(5_000));
  server.twist((_, response, serial) => {
    if (serial === 1) {
      const half = server.file().bytes.subarray(0, 10_000);
      response.writeHead(200, { etag: '"1"', 'content-length': server.file().bytes.byteLength }).write(half);
      response.socket?.destroySoon();
      server.replace(csv(4_999), '"2"');
    }
    return serial === 1;
  });
  const { value, effects } = await world.effectsOf(() => world.run(load(`"${server.origin}/rows.csv"`), { dataset: newSlug('replaced') }));
  const { result } = value;
  expect(result).toMatchObject({
    state: 'failed',
    error: { type: 'NotFetched', message: expect.stringContaining('replaced while it was read') },
  });
  const { view } = await world.ended(result.run);
  expect(view.steps.map(({ status }) => status)).toEqual(['skipped', 'skipped']);
  expect(effects).toEqual([]);
});

test('validate asks nobody; plan fetches and measures; a run asks whether it is the same; a rerun uses what was fetched', async () => {
  await using server = await serveFile(csv(30));
  const file = await world.write('pipelines/fetching.yaml', load(`"${server.origin}/rows.csv"`));
  const dataset = newSlug('planned');
  expect((await world.portolan(['validate', file])).code).toBe(0);
  expect(server.requests).toHaveLength(0);
  const planned = await world.portolan(['plan', file, '-c', 'local', '-p', `dataset=${dataset}`, '--offline']);
  expect([planned.code, planned.err]).toEqual([0, `fetched ${server.origin}/rows.csv (${csv(30).byteLength} B)\n`]);
  expect(planned.out).toMatch(/30 rows in 1 shard/);
  const shown = await world.portolan(['preview', `${server.origin}/rows.csv`]);
  expect([shown.code, shown.err]).toEqual([0, expect.stringContaining('unchanged since it was fetched')]);
  const run = await world.startFile(file, { dataset });
  expect((await world.ended(run)).view.state).toBe('done');
  const bodies = server.requests.filter(({ headers }) => headers['if-none-match'] === undefined);
  expect(bodies).toHaveLength(1);
  // What nobody has asked for goes by and by; the run that read it has its own.
  const landed = (await findGarbage(world.place, { olderThanMs: day, workAfterMs: day * 90 }, Date.now() + 2 * day)).filter(({ path }) =>
    path.includes('/.landing/objects/'),
  );
  expect(landed.length).toBeGreaterThan(0);
  expect(await findGarbage(world.place, { olderThanMs: day, workAfterMs: day }, Date.now())).toEqual([]);
  const again = await world.portolan(['rerun', run, '--from', 'dataset', '--json']);
  expect(again.code).toBe(0);
  expect(server.requests.filter(({ headers }) => headers['if-none-match'] === undefined)).toHaveLength(1);
});

test('what is fetched is not read file by file', async () => {
  const file = await world.write('pipelines/since.yaml', load('"https://files.example.com/x.csv", since: { files: new }'));
  expect(await world.portolan(['validate', file])).toMatchObject({ code: 2, out: expect.stringContaining('nor what is fetched') });
});

test.each([
  ['"ftp://files.example.com/x.csv"', /not fetched from ftp/],
  ['"https://user:word@files.example.com/x.csv"', /no user or password/],
  ['{ http: "https://files.example.com/x.csv?X-Amz-Signature=12" }', /'X-Amz-Signature' of an address is a secret/],
  ['{ http: "https://files.example.com/x.csv", headers: { authorization: "Bearer 12" } }', /is a secret: name it/],
  ['{ sql: "select 1", tables: { t: "s3://bucket/x.csv" } }', /not fetched from s3/],
])('validate refuses %s', async (source, says) => {
  const file = await world.write('pipelines/refused.yaml', load(source));
  const { code, out } = await world.portolan(['validate', file]);
  expect([code, out]).toEqual([2, expect.stringMatching(says)]);
});

test('a host that is not public, and a secret that is not there, are said with their remedies', async () => {
  await using server = await serveFile(csv(3), { host: '::1' });
  const { code, err } = await world.portolan(['preview', `${server.origin}/rows.csv`]);
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/is no public address: nothing was sent there[\s\S]*sources: \{ allow: \['\[::1\]:\d+'\] \}/),
  ]);
  expect(server.connections()).toBe(0);
  const missing = `{ http: "https://files.example.com/x.csv", headers: { authorization: { secret: acmee } } }`;
  const file = await world.write('pipelines/missing.yaml', load(missing));
  const refused = await world.portolan(['run', file, '-c', 'local', '-p', 'dataset=missing']);
  expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/steps.rows needs the secret 'acmee': .*did you mean 'acme'/)]);
});

/** All that a run has left, as one text. */
async function filesOf(run: string): Promise<string> {
  const folder = fileURLToPath((await world.locate(run)).store);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n');
}
