import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findGarbage } from '../../runs/garbage.ts';
import { newSlug } from '../support/world.ts';
import { servePostgres } from '../support/postgres.ts';
import { serveFile } from '../support/file-server.ts';
import { serveBucket, tagOf, type Stored } from '../support/s3-server.ts';
import { useWorld } from './support.ts';

const secret = 'canary-of-a-token';
process.env['PORTOLAN_TEST_TOKEN'] = secret;

const objects = new Map<string, Stored>();
const keys = { id: 'an-access-key', key: secret };
process.env['PORTOLAN_TEST_ID'] = keys.id;
const bucket = await serveBucket('acme', objects, keys);
afterAll(() => bucket[Symbol.asyncDispose]());
const database = await servePostgres();
afterAll(() => database[Symbol.asyncDispose]());

const world = useWorld({
  prepare: (dir) =>
    writeFile(
      join(dir, 'portolan.config.mts'),
      `export default {
        sources: {
          allow: ['127.0.0.1'],
          postgres: { shop: { host: '127.0.0.1', port: ${database.port}, database: 'postgres', user: 'postgres', secret: 'acme' } },
          s3: { here: { endpoint: '${bucket.endpoint}', secrets: { keyId: 'id', key: 'acme' } } },
        },
        secrets: { acme: { env: 'PORTOLAN_TEST_TOKEN' }, id: { env: 'PORTOLAN_TEST_ID' } },
      };\n`,
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
  const { value, effects } = await world.effectsOf(() =>
    world.run(load(`"${server.origin}/rows.csv"`), { dataset: newSlug('replaced') }, ['--no-check']),
  );
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

test('objects of a pattern are read once, and those that were replaced again where that is asked for; plan says how many there are', async () => {
  const put = (key: string, ...ids: string[]): void => {
    const bytes = Buffer.from(`id,n\n${ids.map((id) => `${id},1`).join('\n')}\n`);
    objects.set(key, { bytes, tag: tagOf(bytes) });
  };
  for (const files of ['new', 'changed']) {
    const dataset = newSlug('inbox');
    const text = load(`"s3://acme/inbox-${files}/*.csv"`).replace('id: { column: id }', `id: { column: id }, since: { files: ${files} }`);
    const read = async () => {
      const { result } = await world.run(text, { dataset });
      return (await world.ended(result.run)).view.steps[1]!.output;
    };
    put(`inbox-${files}/a.csv`, 'a');
    expect(await read()).toMatchObject({ rows: 1, added: 1, since: { from: null, to: '1', of: 1, seen: 0 } });
    const asked = bucket.requests.length;
    expect(await read()).toMatchObject({ rows: 0, added: 0, since: { from: '1', to: '1', of: 1, seen: 1 } });
    const sent = bucket.requests.slice(asked).filter(({ path, headers }) => !path.includes('list-type') && !headers['if-none-match']);
    expect(sent).toEqual([]);
    put(`inbox-${files}/a.csv`, 'a', 'a2');
    put(`inbox-${files}/b.csv`, 'b');
    const { out } = await world.portolan(['plan', await world.pipeline(text), '-c', 'local', '-p', `dataset=${dataset}`]);
    expect(out).toContain(files === 'new' ? '1 rows (of 2 files; 1 file seen)' : '3 rows (of 2 files');
    expect(await read()).toMatchObject(files === 'new' ? { rows: 1, added: 1 } : { rows: 3, added: 2, present: 1 });
  }
});

test('rows of all objects of a pattern are sent, with the names of their objects; preview and doctor know the storage too', async () => {
  for (const [at, key] of ['2026/a.csv', '2026/b/c.csv', '2025/d.csv'].entries()) {
    const bytes = Buffer.from(`id,n\n${key},${at}\n`);
    objects.set(key, { bytes, tag: tagOf(bytes) });
  }
  const { result } = await world.run(load('{ s3: "s3://acme/2026/**", fileColumn: file }'), { dataset: newSlug('objects') });
  expect(result.state).toBe('done');
  const { view } = await world.ended(result.run);
  expect(view.steps[1]!.output).toMatchObject({ rows: 2, added: 2 });
  const kept = JSON.stringify(await world.histories(result.run)) + (await filesOf(result.run));
  expect(kept).not.toContain(secret);
  const shown = await world.portolan(['preview', 's3://acme/2026/**', '--file-column', 'file', '--storage', 'here', '--json']);
  expect([shown.code, JSON.parse(shown.out)]).toEqual([0, expect.objectContaining({ rows: 2 })]);
  expect(shown.out).toContain('b/c.csv');
  const made = await world.portolan(['init', '--from', 's3://acme/2026/a.csv', '--name', 'from-s3']);
  expect(made.code).toBe(0);
  expect((await world.portolan(['validate', 'pipelines/from-s3.yaml'])).code).toBe(0);
  expect((await world.portolan(['doctor'])).out).toMatch(/✓ sources +the storage here knows the keys/);
  bucket.lend({ ...keys, token: 'another' });
  try {
    expect((await world.portolan(['doctor'])).out).toMatch(/✗ sources .*400 ExpiredToken\n.*'id', 'acme' were lent/);
    const { result: refused } = await world.run(load('"s3://acme/2026/*.csv"'), { dataset: newSlug('expired') }, ['--no-check']);
    expect(refused).toMatchObject({ state: 'failed', error: { type: 'NotFetched', message: expect.stringContaining('ExpiredToken') } });
  } finally {
    bucket.lend(keys);
  }
});

test('rows of a query are sent, and of the next reading those that the mark does not hold back; preview, plan, init and doctor know the database too', async () => {
  await database.db.exec(`
    create table films (id text, n int, changed timestamptz);
    insert into films select 'k' || n, n, timestamptz '2026-01-01 00:00Z' + n * interval '1 hour' from generate_series(1, 40) as n;
  `);
  const query = '{ postgres: shop, query: "select id, n, changed from films order by id" }';
  const source = `${query}, since: { column: changed }`;
  const dataset = newSlug('queried');
  const file = await world.write('pipelines/queried.yaml', load(source));
  const shown = await world.portolan(['preview', 'select id, n, changed from films order by id', '--postgres', 'shop', '--json']);
  expect([shown.code, JSON.parse(shown.out)]).toEqual([0, expect.objectContaining({ rows: 40 })]);
  const planned = await world.portolan(['plan', file, '-c', 'local', '-p', `dataset=${dataset}`, '--offline']);
  expect([planned.code, planned.out]).toEqual([0, expect.stringMatching(/40 rows .*in 1 shard/)]);
  const first = await world.startFile(file, { dataset });
  expect((await world.ended(first)).view.steps[1]!.output).toMatchObject({ rows: 40, added: 40 });
  await database.idle();
  await database.db.exec(`insert into films values ('late', 41, '2026-02-01 00:00Z')`);
  const second = await world.startFile(file, { dataset });
  expect((await world.ended(second)).view.steps[1]!.output).toMatchObject({ rows: 1, added: 1 });
  expect((await world.portolan(['init', '--from', 'select id, n from films', '--postgres', 'shop'])).code).toBe(0);
  expect((await world.portolan(['validate', 'pipelines/shop.yaml'])).code).toBe(0);
  expect((await world.portolan(['doctor'])).out).toMatch(/✓ sources +the database shop is PostgreSQL \d/);
  const none = await world.run(load('{ postgres: shop, query: "select id, n, changed from films where n < 0" }'), {
    dataset: newSlug('none'),
  });
  expect(none.result.state).toBe('done');
  const refused = await world.run(load('{ postgres: shop, query: "select id from film" }'), { dataset: newSlug('refused') }, [
    '--no-check',
  ]);
  expect(refused.result).toMatchObject({
    state: 'failed',
    error: { type: 'NotFetched', message: expect.stringMatching(/"film" does not exist/) },
  });
});

test('a query of a database of which the time of the run alone is open is asked for the last window before the run, and not by others', async () => {
  await database.db.exec('create table orders (id text, n int, came timestamptz)');
  const planned = async (select: string, { id = 'id', where = '', over = false } = {}): Promise<unknown[]> => {
    const hour = "came >= '${{ run.window.from }}' and came < '${{ run.window.to }}'";
    const query = `{ postgres: shop, query: "select ${select} where ${hour}${where}" }`;
    const source = over ? `{ sql: "select * from t", tables: { t: ${query} } }` : query;
    const text = load(source).replace('column: id', `column: ${id}`);
    const file = await world.write('pipelines/hourly.yaml', `${text}connection: local\nschedule: { cron: "5 * * * *", window: hour }\n`);
    const { code, err } = await world.portolan(['plan', file, '-p', 'dataset=hourly', '--offline']);
    await database.idle();
    return [code, err];
  };
  const said = (text: string): unknown[] => [2, expect.stringContaining(text)];
  const whole = 'id, n, came from orders';
  expect(await planned(whole)).toEqual([0, expect.stringContaining('fetched postgres:shop')]);
  expect(await planned('id, m, came from orders')).toEqual(said('column "m" does not exist'));
  expect(await planned('id, n, came from order_s')).toEqual(said('relation "order_s" does not exist'));
  expect(await planned(whole, { id: 'ident' })).toEqual(said("the source has no column 'ident'; it has id, n, came"));
  expect(await planned('id, m, came from orders', { over: true })).toEqual(said('column "m" does not exist'));
  // What else is open is known in the run alone.
  const open = " and id = '${{ steps.dataset.slug }}'";
  expect(await planned('id, m, came from orders', { where: open })).toEqual([0, expect.not.stringContaining('fetched')]);
});

test('a storage that is not configured is said before the run, with the one that was meant', async () => {
  const file = await world.write('pipelines/storage.yaml', load('{ s3: "s3://acme/x.csv", storage: her }'));
  const { code, err } = await world.portolan(['run', file, '-c', 'local', '-p', 'dataset=storage']);
  expect([code, err]).toEqual([2, expect.stringMatching(/'her' is not under sources\.s3.*did you mean 'here'/)]);
});

test('what a web server has is not read file by file', async () => {
  const file = await world.write('pipelines/since.yaml', load('"https://files.example.com/x.csv", since: { files: new }'));
  expect(await world.portolan(['validate', file])).toMatchObject({ code: 2, out: expect.stringContaining('nor what a web server has') });
});

test.each([
  ['"ftp://files.example.com/x.csv"', /not fetched from ftp/],
  ['"https://user:word@files.example.com/x.csv"', /no user or password/],
  ['{ http: "https://files.example.com/x.csv?X-Amz-Signature=12" }', /'X-Amz-Signature' of an address is a secret/],
  ['{ http: "https://files.example.com/x.csv", headers: { authorization: "Bearer 12" } }', /is a secret: name it/],
  ['{ sql: "select 1", tables: { t: "gs://bucket/x.csv" } }', /not fetched from gs/],
  ['"s3://Bucket/x.csv"', /'Bucket' is no name of a bucket/],
  ['"s3://bucket/"', /names the bucket bucket and no object/],
  ['{ s3: "s3://bucket/../x.csv" }', /has the part '\.' or '\.\.'/],
  ['"s3://bucket/[z-a].csv"', /'\[z-a\]' runs backwards/],
  ['{ s3: "https://bucket/x.csv" }', /is no address of this kind/],
  ['{ http: "s3://bucket/x.csv" }', /is no address of this kind/],
  ['{ postgres: shop, query: "drop table films" }', /one SELECT that reads/],
  ['{ postgres: shop }', /needs the field 'query'/],
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
  for (const verb of ['plan', 'run']) {
    const refused = await world.portolan([verb, file, '-c', 'local', '-p', 'dataset=missing']);
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringMatching(/x\.csv: a source asks for the secret 'acmee', .*did you mean 'acme'/),
    ]);
  }
});

test('a column that a source from elsewhere does not have is said before a run, and before a schedule is applied; --no-check leaves it to the run', async () => {
  await using server = await serveFile(csv(30));
  const text = load(`"${server.origin}/rows.csv"`).replace('column: id', 'column: ident');
  const file = await world.write('pipelines/lacking.yaml', `${text}connection: local\nschedule: { every: 1d }\n`);
  const dataset = newSlug('lacking');
  const sets = await world.write('sets.jsonl', { dataset });
  const says = "source has no column 'ident'; it has id, n";
  for (const argv of [
    ['run', file, '-p', `dataset=${dataset}`],
    ['run', file, '-P', sets],
    ['schedule', 'apply', file, '-p', `dataset=${dataset}`, '--yes'],
  ]) {
    const { value, calls } = await world.callsOf(() => world.portolan(argv));
    expect([value.code, value.err, calls]).toEqual([2, expect.stringContaining(says), []]);
  }
  expect((await world.portolan(['schedule', 'list'])).out).not.toContain('fetching');
  const asked = server.requests.length;
  const { code } = await world.portolan(['schedule', 'apply', file, '-p', `dataset=${dataset}`, '--no-check']);
  expect([code, server.requests.length]).toEqual([0, asked]);
  const { result } = await world.run(text, { dataset }, ['--no-check']);
  expect(result).toMatchObject({ state: 'failed', error: { step: 'rows' } });
});

test('a server that cannot be reached is said before a run and before a schedule is applied, with what to do where only the worker reaches it', async () => {
  const server = await serveFile(csv(3));
  await server[Symbol.asyncDispose]();
  const file = await world.write(
    'pipelines/away.yaml',
    `${load(`"${server.origin}/rows.csv"`)}connection: local\nschedule: { every: 1d }\n`,
  );
  for (const verb of [['run'], ['schedule', 'apply']])
    expect(await world.portolan([...verb, file, '-p', 'dataset=away'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /rows\.csv: the connection failed \(ECONNREFUSED\).*\n.*is its server up.*--no-check starts the run all the same/,
      ),
    });
});

/** All that a run has left, as one text. */
async function filesOf(run: string): Promise<string> {
  const folder = fileURLToPath((await world.locate(run)).store);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n');
}
