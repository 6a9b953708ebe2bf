import { randomInt } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tables } from '../../child/tables.ts';
import { sourcesSchema } from '../../config/sources-schema.ts';
import type { NotFetched } from '../../errors/classes.ts';
import { createLanding, landingFolder } from '../../landing/landing.ts';
import { createRelay } from '../support/relay.ts';
import { line, type Line } from './proof.ts';
import { password, type SystemPostgres } from './support-debian-postgres.ts';

type Options = { secret?: string; timeout?: string; tls?: 'verify'; ca?: string; port?: number };

const rounds = 20;
const accounts = 30_000;

/** What is asked of a source in a PostgreSQL server of the system. */
export async function queryLines(server: SystemPostgres, tables: Tables, note: (text: string) => void): Promise<Line[]> {
  const root = await mkdtemp(join(tmpdir(), 'portolan-queried-'));
  const { admin } = server;
  await using relay = await createRelay(server.port);
  const read = async (
    query: string,
    { secret = password, port = relay.port, ...more }: Options = {},
    signal = new AbortController().signal,
    progress?: (done: number) => void,
  ) =>
    createLanding({
      root,
      allow: [],
      mostBytes: 1e9,
      secret: async () => secret,
      databases: sourcesSchema.parse({
        postgres: {
          shop: {
            host: more.tls ? 'localhost' : '127.0.0.1',
            port,
            database: 'postgres',
            user: 'reader',
            secret: 'shop-password',
            ...more,
          },
        },
      }).postgres,
    })({ postgres: 'shop', query }, { signal, ...(progress && { progress }) });
  const refusal = async (query: string, options?: Options): Promise<{ says: string; connections: number; ms: number }> => {
    const [before, began] = [relay.connections(), performance.now()];
    const says = await read(query, options).then(
      () => 'was read',
      (error: NotFetched) => `${error.name}: ${error.message}; ${error.remedy}`,
    );
    return { says, connections: relay.connections() - before, ms: performance.now() - began };
  };
  const sums = async (path: string): Promise<string> => {
    const { sample } = await tables.preview({ sql: 'select count(*) as n, sum(amount) as s from t', tables: { t: path } }, { rows: 1 });
    return sample[0]!.join(' rows of ');
  };
  const all = 'select id, amount, repeat(md5(id::text), 8) as text from accounts';
  await admin.query(`create table accounts as select n as id, 100::int8 as amount from generate_series(1, ${accounts}) as n`);
  const whole = `${accounts} rows of ${accounts * 100}`;
  const lines: Line[] = [];
  const add = (what: string, figure: string, bound: string, ok: boolean): void => {
    lines.push(line(what, figure, bound, ok));
    note(`${what}: ${figure}`);
  };

  let resets = 0;
  let equal = 0;
  for (let round = 0; round < rounds; round++) {
    const at = randomInt(1, 5_000_000);
    let cut = false;
    const { path } = await read(all, {}, undefined, (done) => {
      if (cut || done < at) return;
      cut = true;
      resets += Math.min(1, relay.reset());
    });
    if ((await sums(path)) === whole) equal += 1;
  }
  const parts = (await readdir(join(root, landingFolder, 'parts'))).length;
  add(
    `query of ${accounts} rows, its connection reset once at any byte, ${rounds} readings`,
    `${resets} reset, ${equal} equal, ${parts} parts left`,
    `${rounds} reset, ${rounds} equal, 0 left`,
    resets === rounds && equal === rounds && parts === 0,
  );

  // Amounts move from one account to another all the time; of one moment their sum is always the same.
  const stop = new AbortController();
  let moved = 0;
  const mover = await server.client();
  const moving = (async () => {
    while (!stop.signal.aborted) {
      await mover.query(`with m as (select ${randomInt(1, accounts + 1)} as a, ${randomInt(1, accounts + 1)} as b, ${randomInt(1, 50)} as v)
        update accounts set amount = amount + case when id = m.a then -m.v else m.v end from m where id in (m.a, m.b) and m.a <> m.b`);
      moved += 1;
    }
  })();
  const seen: string[] = [];
  const halves: string[] = [];
  for (let round = 0; round < rounds; round++) {
    seen.push(await sums((await read(all)).path));
    const [one, two] = [await read(`${all} where id <= ${accounts / 2}`), await read(`${all} where id > ${accounts / 2}`)];
    const { sample } = await tables.preview(
      { sql: 'select sum(amount) as s from (from a union all from b)', tables: { a: one.path, b: two.path } },
      { rows: 1 },
    );
    halves.push(sample[0]![0]!);
  }
  stop.abort();
  await moving;
  await mover.end();
  const still = seen.filter((each) => each === whole).length;
  const torn = halves.filter((each) => each !== String(accounts * 100)).length;
  add(
    `amounts that move between accounts while they are read, ${rounds} readings`,
    `${still} of one moment (${moved} moves)`,
    `${rounds}`,
    still === rounds && moved > rounds,
  );
  add('control, the same in two readings', `${torn} of ${rounds} have another sum`, '≥ 1', torn > 0);

  const wrong = await refusal(all, { secret: 'wrong' });
  add(
    'a password that is wrong',
    `${wrong.says} (${wrong.connections} connection)`,
    "said at once with 'shop-password', 1 connection",
    wrong.says.includes("the secret 'shop-password'") && wrong.connections === 1,
  );
  const typo = await refusal('select id\nfrom acounts');
  add(
    'a table that is not there',
    `${typo.says} (${typo.connections} connection)`,
    'its line and column, 1 connection',
    typo.says.includes('line 2, column 6') && typo.connections === 1,
  );
  for (const query of [
    'with gone as (delete from accounts returning id) select id from gone',
    'select 1; delete from accounts',
    "select setval('numbers', 7)",
  ]) {
    await admin.query('create sequence if not exists numbers');
    const { says } = await refusal(query);
    const { rows } = await admin.query<{ n: string }>('select count(*) as n from accounts');
    add(
      `a query that writes: ${query}`,
      `${says}; ${rows[0]!.n} rows are there`,
      `refused, ${accounts} rows`,
      says.startsWith('NotFetched') && rows[0]!.n === String(accounts),
    );
  }
  const long = await refusal('select pg_sleep(60) is null as x', { timeout: '1s' });
  add(
    'a query that takes longer than its timeout',
    `${long.says} (${Math.round(long.ms)} ms)`,
    'refused within 10 s, names timeout',
    long.says.includes('timeout: ') && long.ms < 10_000,
  );

  const sleeping = async (): Promise<boolean> => {
    const { rowCount } = await admin.query(
      "select 1 from pg_stat_activity where state = 'active' and query like '%source%' and wait_event = 'PgSleep'",
    );
    return (rowCount ?? 0) > 0;
  };
  const until = async (wanted: boolean): Promise<boolean> => {
    const late = AbortSignal.timeout(10_000);
    while ((await sleeping()) !== wanted) if (late.aborted) return false;
    return true;
  };
  const giveUp = new AbortController();
  const asleep = read('select pg_sleep(120) is null as x', {}, giveUp.signal).catch(() => 'given up');
  const began = await until(true);
  giveUp.abort();
  await asleep;
  const ended = await until(false);
  add(
    'a query that is given up',
    `${began ? 'was' : 'was not'} active, ${ended ? 'ended' : 'still active after 10 s'}`,
    'was active, ended',
    began && ended,
  );

  const untrusted = await refusal(all, { tls: 'verify', port: server.port });
  const trusted = await read(all, { tls: 'verify', ca: server.ca, port: server.port }).then(({ path }) => sums(path));
  add(
    'a certificate that nobody has signed, without `ca` and with it',
    `${untrusted.says}; ${trusted}`,
    `refused, names ca; ${whole}`,
    untrusted.says.includes("ca: '") && trusted === whole,
  );
  await rm(root, { recursive: true, force: true });
  return lines;
}
