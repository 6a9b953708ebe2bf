import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTables } from '../../child/host/create-tables.ts';
import type { NotFetched } from '../../errors/classes.ts';
import { serveFile } from '../support/file-server.ts';
import { line, type Line, type Proof } from './proof.ts';
import { postgresPrograms, startPostgres } from './support-debian-postgres.ts';
import { landingThere, replaceWhileRead, resetWhileRead, type Place } from './support-landed.ts';
import { startMoto } from './support-moto.ts';
import { queryLines } from './support-queried.ts';
import { tryToReach } from './support-reach.ts';
import { createTwistingProxy } from './support-twisting-proxy.ts';

const rounds = 20;
const resets = 20;
const files = 5;

type Moto = Awaited<ReturnType<typeof startMoto>>;

/** Files that are replaced and broken off, of a web server and of a storage. */
async function fileLines(place: Place, note: (text: string) => void): Promise<Line[]> {
  const lines: Line[] = [];
  const add = (what: string, figure: string, bound: string, ok: boolean): void => {
    lines.push(line(`${place.name}: ${what}`, figure, bound, ok));
    note(`${place.name}: ${what}: ${figure}`);
  };
  for (const several of place.name === 'S3' ? [false, true] : [false]) {
    const found = [];
    for (let round = 0; round < rounds; round++) found.push(await replaceWhileRead(place, several));
    const refused = found.filter((each) => each.refused).length;
    const mixed = found.reduce((sum, each) => sum + each.mixed, 0);
    const left = found.reduce((sum, each) => sum + each.left, 0);
    const after = found.filter((each) => each.readAfter).length;
    add(
      several ? 'an object of a pattern is replaced between its listing and its reading' : 'a file is replaced at any byte of its reading',
      `${refused} of ${rounds} refused, ${mixed} of two halves, ${left} files left, ${after} read after it as they are then`,
      `${rounds} refused, 0, 0, ${rounds} read`,
      refused === rounds && mixed === 0 && left === 0 && after === rounds,
    );
  }
  const broken = [];
  for (let file = 0; file < files; file++) broken.push(await resetWhileRead(place, resets));
  const equal = broken.filter((each) => each.equal).length;
  const fewest = Math.min(...broken.map((each) => each.resets));
  const most = Math.max(...broken.map((each) => each.overhead));
  add(
    `${files} files of 24 MB, each reset ${resets} times`,
    `${equal} equal, at least ${fewest} resets each, at most ${most.toFixed(2)} times their bytes were sent`,
    `${files} equal, ${resets} resets, below 2 times`,
    equal === files && fewest === resets && most < 2,
  );
  place.proxy.hideVersions();
  let mixed = 0;
  for (let round = 0; round < 5; round++) mixed += (await replaceWhileRead(place)).mixed;
  add('control, replaced where neither side knows of versions', `${mixed} of 5 of two halves`, '≥ 1', mixed > 0);
  return lines;
}

/** Keys that a storage takes and refuses: what is said, and when. */
async function keyLines(moto: Moto): Promise<Line[]> {
  await moto.put('kept.csv', new TextEncoder().encode('id\n1\n'));
  const good = await moto.check();
  const lines: Line[] = [];
  for (const [what, keys, expected] of [
    ['a key that is good', good, 'fetched'],
    ['a key that has another secret now', { ...good, key: 'rotated' }, "SignatureDoesNotMatch; correct the secret 'key'"],
    ['a key that is no more', { ...good, id: 'AKIAGONEGONEGONEGONE' }, "InvalidAccessKeyId; correct the secret 'id'"],
  ] as const)
    for (const address of ['s3://acme/kept.csv', 's3://acme/kept*']) {
      await using there = await landingThere(moto.endpoint, keys);
      const began = performance.now();
      const says = await there.land(address).then(
        () => 'fetched',
        (error: NotFetched) => `${error.message}; ${error.remedy}`,
      );
      const ms = Math.round(performance.now() - began);
      lines.push(line(`S3: ${what}, ${address}`, `${says} (${ms} ms)`, `${expected}, within 5 s`, says.includes(expected) && ms < 5_000));
    }
  return lines;
}

async function reachLines(): Promise<Line[]> {
  const { spellings, tried, arrived, answers, reachable, allowed } = await tryToReach([0, 1, 2, 3]);
  const refused = (answers['NotFetched'] ?? 0) + (answers['TypeError'] ?? 0);
  return [
    line(
      `${spellings} spellings of addresses that are not public, at once and behind 1 to 3 redirects of a web server and a storage`,
      `${tried} tries, ${refused} refused, ${arrived} connections`,
      '≥ 150 spellings, all refused, 0 connections',
      spellings >= 150 && refused === tried && arrived === 0,
    ),
    line(
      'control, those that mean this machine where their hosts are allowed',
      `${allowed} connections of ${reachable}`,
      'all',
      allowed === reachable && reachable > 10,
    ),
  ];
}

export const proof: Proof = {
  name: 'elsewhere',
  sets: ['time'],
  what: 'files of a web server and of S3 storage, rows of PostgreSQL: nothing of two halves, resets cost nothing, refusals at once, no address that is not public',
  async run({ note }) {
    const lines = await reachLines();
    const folder = await mkdtemp(join(tmpdir(), 'portolan-elsewhere-'));
    try {
      await using web = await serveFile(Buffer.alloc(0));
      let serial = 0;
      await using webProxy = await createTwistingProxy(web.origin);
      lines.push(
        ...(await fileLines(
          {
            name: 'HTTP',
            proxy: webProxy,
            put: async (key, bytes) => {
              if (!key.endsWith('a.bin')) web.replace(bytes, `"${++serial}"`);
            },
            file: (key) => `${webProxy.endpoint}/${key}`,
          },
          note,
        )),
      );
      await using moto = await startMoto(folder);
      note(`moto ${moto.version}`);
      await using motoProxy = await createTwistingProxy(moto.endpoint);
      lines.push(
        ...(await fileLines(
          { name: 'S3', proxy: motoProxy, put: moto.put, file: (key) => `s3://acme/${key}`, secrets: { id: 'any', key: 'any' } },
          note,
        )),
      );
      lines.push(...(await keyLines(moto)));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    return [...lines, ...(await postgresLines(note))];
  },
};

async function postgresLines(note: (text: string) => void): Promise<Line[]> {
  const programs = await postgresPrograms();
  if (programs === undefined) return [line('PostgreSQL', 'this host has no initdb', 'the package postgresql of the system', false)];
  const tables = createTables();
  try {
    await using server = await startPostgres(programs);
    note(`PostgreSQL ${server.version}`);
    return await queryLines(server, tables, note);
  } finally {
    await tables.close();
  }
}
