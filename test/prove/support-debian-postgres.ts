import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, glob, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { selfSigned } from '../support/self-signed.ts';
import { freePort } from './support-moto.ts';

const run = promisify(execFile);

export const password = 'pass/word with spaces';

/** The folder of the server's programs; undefined where this host has none. */
export async function postgresPrograms(): Promise<string | undefined> {
  const found: string[] = [];
  for await (const path of glob('/usr/lib/postgresql/*/bin/initdb')) found.push(path);
  for (const folder of (process.env['PATH'] ?? '').split(':')) if (existsSync(join(folder, 'initdb'))) found.push(join(folder, 'initdb'));
  return found[0] === undefined ? undefined : dirname(found[0]);
}

/** A server of the system in a folder of its own: of one user with a password (SCRAM), encrypted by a certificate that it signs itself. */
export async function startPostgres(programs: string) {
  const folder = await mkdtemp(join(tmpdir(), 'portolan-pg-'));
  const data = join(folder, 'data');
  // It refuses to be root: nobody is somebody else on every system.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const own = async (path: string): Promise<void> => (user.uid === undefined ? undefined : chown(path, user.uid, user.gid));
  await own(folder);
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password);
  await own(passwordFile);
  await run(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'reader', '-A', 'scram-sha-256', '--pwfile', passwordFile, '-E', 'UTF8', '--no-sync'],
    { ...user, cwd: folder },
  );
  const { key, certificate } = await selfSigned(data);
  for (const path of [key, certificate]) await own(path);
  await chmod(key, 0o600);
  const ca = join(folder, 'ca.pem');
  await cp(certificate, ca);
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, 'ssl=on', 'fsync=off'].flatMap((each) => [
    '-c',
    each,
  ]);
  const child = spawn(join(programs, 'postgres'), ['-D', data, '-p', String(port), ...settings], {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines = createInterface({ input: child.stderr });
  await new Promise<void>((ready, failed) => {
    lines.on('line', (text) => text.includes('ready to accept connections') && ready());
    child.once('exit', (code) => failed(new Error(`postgres ended with ${code}`)));
  });
  const client = async (): Promise<Client> => {
    const made = new Client({ host: '127.0.0.1', port, user: 'reader', password, database: 'postgres', ssl: false });
    await made.connect();
    return made;
  };
  const admin = await client();
  const { rows } = await admin.query<{ server_version: string }>('show server_version');
  return {
    port,
    ca,
    admin,
    client,
    version: rows[0]!.server_version,
    async [Symbol.asyncDispose]() {
      await admin.end();
      child.kill('SIGINT');
      await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type SystemPostgres = Awaited<ReturnType<typeof startPostgres>>;
