import { mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTables } from '../../child/host/create-tables.ts';
import { sourcesSchema } from '../../config/sources-schema.ts';
import { createLanding, landingFolder, type Landing } from '../../landing/landing.ts';
import { servePostgres, type PostgresServer } from '../support/postgres.ts';

let server: PostgresServer;
let root: string;
const tables = createTables();
const signal = new AbortController().signal;

beforeAll(async () => {
  server = await servePostgres();
  await server.db.exec(`
    create type mood as enum ('a', 'b');
    create table kept (id int);
    insert into kept values (1);
    create sequence serial;
    create function fails(code text) returns int language plpgsql as 'begin raise exception using errcode = code, message = ''not now''; end';
    create function writes() returns int language sql as 'insert into kept values (2) returning id';
  `);
  root = await mkdtemp(join(tmpdir(), 'portolan-postgres-'));
});
beforeEach(async () => {
  server.twist(() => undefined);
  await server.idle();
});
afterAll(async () => {
  await tables.close();
  await server[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

const landing = (more: { mostBytes?: number; timeout?: string; tls?: 'verify'; ca?: string } = {}): Landing =>
  createLanding({
    root,
    allow: [],
    mostBytes: more.mostBytes ?? 1e9,
    pausesMs: [0, 0, 0],
    secret: async () => 'unused',
    databases: sourcesSchema.parse({
      postgres: {
        shop: {
          host: '127.0.0.1',
          port: server.port,
          database: 'postgres',
          user: 'postgres',
          secret: 'shop',
          timeout: more.timeout ?? '1m',
          tls: more.tls,
          ca: more.ca,
        },
      },
    }).postgres,
  });
const fetched = (query: string, land = landing()) => land({ postgres: 'shop', query }, { signal });
/** What is read of the rows of a query: types by column, and values as text. */
const read = async (query: string) => {
  const { columns, sample } = await tables.preview((await fetched(query)).path, { rows: 1_000 });
  return { types: columns.map(({ name, type }) => `${name} ${type}`), rows: sample };
};
const left = async (): Promise<string[]> => readdir(join(root, landingFolder, 'parts'));

test('each type that can be is kept as it is', async () => {
  const { types, rows } = await read(`
    select 1::int2 as a, '-2147483648'::int4 as b, 9007199254740993::int8 as c, 1.1::float4 as d, 0.1::float8 as e, true as f, 'é"x''漢'::text as g,
      date '2024-02-29' as h, timestamp '1969-12-31 23:59:59.999999' as i, timestamptz '2024-02-29 12:34:56.789012+02' as j,
      '-12345678901234567890.12'::numeric(30,2) as k, '{"a":1.10}'::json as l, '{1,2.5}'::real[] as m, 'a'::mood as n, uuid '00000000-0000-0000-0000-00000000000a' as o,
      time '18:30' as p, null::int as q, ''::text as r, null::text as s, 'ab'::char(4) as t, '2001:db8::1'::inet as u
  `);
  expect(types).toEqual([
    'a INTEGER',
    'b INTEGER',
    'c BIGINT',
    'd FLOAT',
    'e DOUBLE',
    'f BOOLEAN',
    'g VARCHAR',
    'h DATE',
    'i TIMESTAMP',
    'j TIMESTAMP',
    'k DECIMAL(38,2)',
    'l VARCHAR',
    'm FLOAT[]',
    'n VARCHAR',
    'o VARCHAR',
    'p VARCHAR',
    'q INTEGER',
    'r VARCHAR',
    's VARCHAR',
    't VARCHAR',
    'u VARCHAR',
  ]);
  expect(rows[0]).toEqual([
    '1',
    '-2147483648',
    '9007199254740993',
    '1.1',
    '0.1',
    'true',
    'é"x\'漢',
    '2024-02-29',
    '1969-12-31 23:59:59.999999',
    '2024-02-29 10:34:56.789012',
    '-12345678901234567890.12',
    '{"a":1.10}',
    '[1.0, 2.5]',
    'a',
    '00000000-0000-0000-0000-00000000000a',
    '18:30:00',
    null,
    '',
    null,
    'ab  ',
    '2001:db8::1',
  ]);
});

test('dates and times are kept as they are, however the database, or the role, writes them', async () => {
  await server.db.exec("set datestyle = 'German, DMY'; set intervalstyle = 'postgres_verbose'; set timezone = 'Asia/Tokyo'");
  try {
    const { rows } = await read(
      "select date '2024-03-02' as a, timestamp '2024-03-02 10:00:00' as b, timestamptz '2024-03-02 10:00:00+01' as c",
    );
    expect(rows[0]).toEqual(['2024-03-02', '2024-03-02 10:00:00', '2024-03-02 09:00:00']);
  } finally {
    await server.db.exec('reset all');
  }
});

/** Values of a type as SQL has them, and as they are read. */
const values = {
  int8: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => [`'${value}'`, String(value)]),
  'numeric(38,10)': fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }).map((value) => {
    const digits = String(value < 0n ? -value : value).padStart(11, '0');
    const text = `${value < 0n ? '-' : ''}${digits.slice(0, -10)}.${digits.slice(-10)}`;
    return [`'${text}'`, text];
  }),
  float8: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => [`'${Object.is(value, -0) ? '-0' : value}'`, String(value)]),
  date: fc.integer({ min: -800_000, max: 2_900_000 }).map((day) => {
    const text = `(date '1970-01-01' + ${day})`;
    const { year, rest } = calendar(new Date(day * 86_400_000));
    return [text, year > 0 ? `${String(year).padStart(4, '0')}-${rest}` : `${String(1 - year).padStart(4, '0')}-${rest} (BC)`];
  }),
  timestamp: fc.bigInt({ min: -(10n ** 16n), max: 10n ** 17n }).map((micros) => {
    const text = `(timestamp '1970-01-01' + ${micros / 1_000_000n} * interval '1 second' + ${micros % 1_000_000n} * interval '1 microsecond')`;
    const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
    const { year, rest } = calendar(new Date(Number((micros - fraction) / 1_000n)));
    const time = new Date(Number((micros - fraction) / 1_000n)).toISOString().slice(-13, -5);
    const decimals = fraction === 0n ? '' : `.${String(fraction).padStart(6, '0').replace(/0+$/, '')}`;
    return [text, `${String(year).padStart(4, '0')}-${rest} ${time}${decimals}`];
  }),
  text: fc
    .string({ unit: 'binary' })
    .filter((text) => !text.includes('\0') && text.length < 150)
    .map((text) => [`'${text.replaceAll("'", "''")}'`, text]),
} satisfies Record<string, fc.Arbitrary<string[]>>;

function calendar(date: Date): { year: number; rest: string } {
  return { year: date.getUTCFullYear(), rest: date.toISOString().slice(-19, -14) };
}

test.each(Object.entries(values))('any value of %s is kept to the last digit, and so is none', async (type, arbitrary) => {
  const sampled = fc.sample(arbitrary, 300);
  const rows = sampled.map(([sql], at) => `(${at}, ${sql}::${type})`);
  const found = await read(`select n, v::${type} as v from (values ${rows.join(', ')}, (${rows.length}, null)) as t(n, v) order by n`);
  const expected = [...sampled.map(([, text]) => text!), null];
  const got = found.rows.map(([, value]) => (type === 'float8' && value !== null ? String(Number(value)) : value));
  expect(got).toEqual(expected);
});

test('all rows come, over as many batches as it takes, and the same rows are the same bytes', async () => {
  const query = `select n, repeat('x', n % 600) as text from generate_series(1, 20000) as n`;
  const found = await fetched(query);
  expect([basename(found.path), found.again]).toEqual(['shop.arrow', false]);
  const facts = await tables.preview(
    { sql: 'select count(*) as n, sum(n) as s, sum(length(text)) as t from t', tables: { t: found.path } },
    { rows: 1 },
  );
  expect(facts.sample).toEqual([
    ['20000', '200010000', String(Array.from({ length: 20_000 }, (_, at) => (at + 1) % 600).reduce((a, b) => a + b))],
  ]);
  expect(await fetched(query)).toMatchObject({ again: true, sha256: found.sha256 });
  const none = await tables.preview((await fetched(`select n from generate_series(1, 0) as n`)).path, { rows: 1 });
  expect([none.rows, none.columns.map(({ name }) => name)]).toEqual([0, ['n']]);
});

test('rows of which a power cut has taken bytes are whole again when the same query is read', async () => {
  const query = 'select n from generate_series(1, 1000) as n order by n';
  const { path, bytes } = await fetched(query);
  await truncate(path, 7);
  expect(await fetched(query)).toMatchObject({ path, bytes });
  expect((await stat(path)).size).toBe(bytes);
});

test('long rows behind many short ones come in batches of few bytes, and in the same bytes each time', async () => {
  const query = `select repeat('x', case when n <= 30000 then 1 else 400000 end) as text from generate_series(1, 30080) as n`;
  const seen: number[] = [];
  const file = { postgres: 'shop', query };
  const found = await landing()(file, { signal, progress: (done) => void seen.push(done) });
  const sizes = seen.map((done, at) => done - (seen[at - 1] ?? 0));
  expect(seen.at(-1)).toBeGreaterThan(32_000_000);
  expect(Math.max(...sizes)).toBeLessThan(6_000_000);
  expect((await tables.inspect(found.path)).rows).toBe(30_080);
  expect(await fetched(query)).toMatchObject({ again: true, sha256: found.sha256 });
});

test.each([
  [`select 1.5 as price`, /'price' has the type numeric/, /price::numeric\(18, 2\), price::float8 or price::text/],
  [`select 1::numeric(39, 0) as big`, /'big' has the type numeric/, /big::float8 or big::text/],
  [`select 0.0012::numeric(2, 4) as small`, /'small' has the type numeric/, /small::text/],
  [`select '\\x00'::bytea as "Odd name"`, /'Odd name' has the type bytea/, /encode\("Odd name", 'hex'\)/],
  [
    `select '{a}'::text[] as tags, interval '1 day' as d`,
    /'tags' has the type text\[\], 'd' has the type interval/,
    /to_json\(tags\)::text; extract/,
  ],
  [`select row(1, 2) as r`, /'r' has the type record/, /r::text/],
  [`select date 'infinity' as d`, /row 1 of the query has the value infinity in 'd'/, /d::text/],
  [
    `select (case n when 150 then 'NaN' else '1' end)::numeric(9,2) as d from generate_series(1, 200) as n`,
    /row 150 of the query has the value NaN in 'd'/,
    /d::text/,
  ],
  [`select '{{1,2}}'::real[] as v`, /value \{\{1,2\}\} in 'v'/, /v::text/],
  [`select 1 as a, 2 as "A"`, /two columns of the query have the name 'A'/, /a name of its own/],
  [`select`, /the query has no columns/, /name what it selects/],
])('%s is refused with its column, and what to write', async (query, message, remedy) => {
  await expect(fetched(query)).rejects.toMatchObject({
    name: 'NotFetched',
    message: expect.stringMatching(message),
    remedy: expect.stringMatching(remedy),
  });
  expect(await left()).toEqual([]);
});

test.each([
  ['select id\n  from nowhere', /relation "nowhere" does not exist \(line 2, column 8 of the query\)/],
  ['select 1 as ü, nope', /column "nope" does not exist \(line 1, column 16 of the query\)/],
  ['select 1; select 2', /cannot insert multiple commands/],
  ['select 1; drop table kept', /cannot insert multiple commands/],
  ['with gone as (delete from kept returning id) select * from gone', /DECLARE CURSOR must not contain data-modifying statements/],
  ["select nextval('serial')", /cannot execute nextval\(\) in a read-only transaction/],
  ['select writes()', /cannot execute INSERT in a read-only transaction/],
  ['select 1 / (n - 150) as x from generate_series(1, 200) as n', /division by zero/],
])('%s is refused at once, with its place, and writes nothing', async (query, message) => {
  const before = server.connections();
  await expect(fetched(query)).rejects.toMatchObject({ name: 'NotFetched', message: expect.stringMatching(message) });
  expect(server.connections()).toBe(before + 1);
  await server.idle();
  expect((await server.db.query('select count(*)::int as n from kept')).rows).toEqual([{ n: 1 }]);
  expect(await left()).toEqual([]);
});

test.each(['40001', '40P01', '53200', '55P03', '57P01', '08006', '58030', 'XX000'])(
  'what the server refuses with %s may be otherwise a moment later: it is asked again',
  async (code) => {
    const before = server.connections();
    const refused = fetched(`select fails('${code}')`);
    await expect(refused).rejects.toMatchObject({ name: 'Interrupted', retryable: true });
    expect(server.connections()).toBe(before + 4);
  },
);

test('what the role of the user has set changes no value', async () => {
  await server.db.exec(`set extra_float_digits = -5; set intervalstyle = 'postgres_verbose'; set bytea_output = 'escape'`);
  try {
    const { rows } = await read(
      `select 0.1::float8 + 0.2 as sum, (0.1::float8 + 0.2)::text as text, interval '1 day 2 hours'::text as time, '\\x00ff'::bytea::text as bytes`,
    );
    expect(rows).toEqual([['0.30000000000000004', '0.30000000000000004', 'P1DT2H', '\\x00ff']]);
  } finally {
    await server.idle();
    await server.db.exec('reset extra_float_digits; reset intervalstyle; reset bytea_output');
  }
});

test('a connection that is reset in the middle is begun again whole, and nothing of it is left', async () => {
  const first = server.connections() + 1;
  server.twist(({ serial, server: upstream, client }) => {
    if (serial >= first + 3) return;
    let bytes = 0;
    upstream.on('data', (chunk: Buffer) => {
      if ((bytes += chunk.byteLength) > 400_000) client.resetAndDestroy();
    });
  });
  const found = await fetched(`select n, repeat('y', 100) as text from generate_series(1, 20000) as n`);
  expect(server.connections()).toBe(first + 3);
  expect((await tables.inspect(found.path)).rows).toBe(20_000);
  server.twist(({ client }) => void client.destroy());
  await expect(fetched('select 1 as n')).rejects.toMatchObject({ name: 'Interrupted', retryable: true });
  expect(await left()).toEqual([]);
});

test('rows that are too large, and a database that is not known, are said', async () => {
  await expect(
    fetched(`select repeat('z', 1000) as t from generate_series(1, 1000)`, landing({ mostBytes: 100_000 })),
  ).rejects.toMatchObject({
    message: expect.stringContaining('larger than 100 kB'),
  });
  await expect(landing()({ postgres: 'shp', query: 'select 1' }, { signal })).rejects.toMatchObject({
    message: expect.stringContaining("did you mean 'shop'"),
  });
  expect(await left()).toEqual([]);
});

test.each(['constructor', 'toString'])('the database %s is not configured because every object has one', async (postgres) => {
  await expect(landing()({ postgres, query: 'select 1' }, { signal })).rejects.toMatchObject({
    name: 'NotFetched',
    message: expect.stringContaining(`'${postgres}' is not under sources.postgres`),
  });
});

test('a file of certificates that is not there is said with its field, and nothing is tried again', async () => {
  const before = server.connections();
  const ca = join(root, 'certs', 'db.pem');
  await expect(fetched('select 1', landing({ tls: 'verify', ca }))).rejects.toMatchObject({
    name: 'NotFetched',
    message: expect.stringMatching(/^sources\.postgres\.shop\.ca: .*db\.pem.* ENOENT/),
    remedy: expect.stringContaining('correct the path'),
  });
  await expect(fetched('select 1', landing({ tls: 'verify', ca: root }))).rejects.toMatchObject({
    name: 'NotFetched',
    message: expect.stringContaining('EISDIR'),
  });
  expect(server.connections()).toBe(before);
  expect(await left()).toEqual([]);
});

test('a reading that is given up is ended at the server, by the key of its connection, and leaves nothing', async () => {
  const asked = Promise.withResolvers<Buffer>();
  server.twist(({ client }) => void client.once('data', (first: Buffer) => first.readInt32BE(4) === 80_877_102 && asked.resolve(first)));
  const stop = new AbortController();
  const reading = landing()(
    { postgres: 'shop', query: `select n, repeat('w', 1000) as t from generate_series(1, 100000) as n` },
    { signal: stop.signal, progress: () => stop.abort(new Error('given up')) },
  );
  await expect(reading).rejects.toThrow('given up');
  expect(await asked.promise).toHaveLength(16);
  expect(await left()).toEqual([]);
});
