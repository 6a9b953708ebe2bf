import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { readDevFile } from '../../config/dev-file.ts';
import { writePorts } from '../../dev/dev-file.ts';
import { takeLock } from '../../dev/lock.ts';
import { startDev } from '../../dev/supervisor.ts';
import type { DevOptions } from '../../dev/supervisor.ts';
import { keptBinary } from '../../dev/temporal/binary.ts';
import { portOf } from '../../dev/temporal/start.ts';
import { serves, sharedTemporal, temporaryFolder, until } from './support.ts';

beforeEach(() => {
  vi.stubEnv('TEMPORAL_ADDRESS', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
});

/** Listens on a port of the loopback address until the test is over. */
const occupy = async (port = 0): Promise<number> => {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
};

/** A project whose `temporal` command is the shell script given; `real` in it is the real one. */
const project = async (script = 'exec "$real" "$@"'): Promise<string> => {
  const root = temporaryFolder();
  const command = keptBinary(join(root, '.portolan'));
  mkdirSync(dirname(command), { recursive: true });
  writeFileSync(command, `#!/bin/bash\nreal='${await sharedTemporal()}'\n${script}\n`);
  chmodSync(command, 0o755);
  return root;
};

const start = async (cwd: string, options: Partial<DevOptions> = {}) => {
  const dev = await startDev({ cwd, embedding: 'lexical', temporalSource: 'kept', worker: false, report: () => undefined, ...options });
  onTestFinished(() => dev.stop());
  return dev.file();
};

const folderOf = (root: string): string => join(root, '.portolan');

test('a port of the last start that another program has is replaced, for each part', async () => {
  const cwd = await project();
  const [temporal, ui, service] = [await occupy(), await occupy(), await occupy()];
  writePorts(folderOf(cwd), { temporal, ui, service });
  const file = await start(cwd);
  const got = [file.temporal.address, file.temporal.uiUrl ?? '', file.service.url].map(portOf);
  for (const port of [temporal, ui, service]) expect(got).not.toContain(port);
  expect(await serves(file.temporal.address)).toBe(true);
  expect((await fetch(file.service.url)).status).toBe(200);
});

test.each([
  ['temporal', '--temporal-port'],
  ['ui', '--ui-port'],
  ['service', '--service-port'],
] as const)('a port of %s that a person named is that port or none', async (part, option) => {
  const cwd = await project();
  const port = await occupy();
  await expect(start(cwd, { ports: { [part]: port } })).rejects.toMatchObject({
    name: 'DevError',
    message: `port ${port} (${option}) is in use`,
    remedy: `end what listens there, or leave ${option} out: a free port is taken then`,
  });
  expect(readDevFile(folderOf(cwd))).toBeUndefined();
});

/** Whether a process that was started for this folder has a file of it open: it asks for the lock. */
const someoneOpens = (file: string): boolean =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .some((pid) => {
      try {
        return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === file);
      } catch {
        return false;
      }
    });

test.runIf(process.platform === 'linux')('a free port that is taken after the service was started with it is replaced', async () => {
  const cwd = await project();
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const service = (free.address() as AddressInfo).port;
  await new Promise((closed) => free.close(closed));
  writePorts(folderOf(cwd), { service });
  // The service waits for its folder before it opens its port.
  const lock = join(folderOf(cwd), 'service', 'lock.sqlite');
  const held = takeLock(lock);
  const starting = start(cwd);
  await until(() => someoneOpens(lock), 'the service asks for its folder');
  await occupy(service);
  held?.release();
  const { url } = (await starting).service;
  expect(portOf(url)).not.toBe(service);
  expect((await fetch(url)).status).toBe(200);
});

/** Lines of a shell script: before the first server is started, another process listens on the port of an option of it. */
const takenBetween = (option: '--port' | '--ui-port', listener: string): string => `
if [ "$1" = server ] && mkdir "$0.first" 2>/dev/null; then
  args=("$@")
  for i in "\${!args[@]}"; do [ "\${args[$i]}" = ${option} ] && port="\${args[$((i + 1))]}"; done
  echo "$port" > "$0.port"
  ${listener}
fi
exec "$real" "$@"`;

// In the background without the pipes of this one; it ends with the watcher's group.
const plainListener = `"${process.execPath}" -e '
  require("node:net").createServer().listen(Number(process.argv[1]), "127.0.0.1", () => require("node:fs").writeFileSync(process.argv[2], ""))
' "$port" "$0.taken" > /dev/null 2>&1 &
  until [ -e "$0.taken" ]; do sleep 0.01; done`;

test.each(['--port', '--ui-port'] as const)(
  'a port that is taken after the server was started with it as %s is replaced',
  async (option) => {
    const cwd = await project(takenBetween(option, plainListener));
    const file = await start(cwd);
    expect(existsSync(`${keptBinary(folderOf(cwd))}.taken`)).toBe(true);
    expect(await serves(file.temporal.address)).toBe(true);
    expect((await fetch(file.temporal.uiUrl ?? '')).status).toBe(200);
  },
);

test('a server of another folder that took the port first is not taken for this one', async () => {
  // The other one serves before this one looks for its port.
  const other = `"$real" server start-dev --headless --ip 127.0.0.1 --port "$port" --log-level error > "$0.other" 2>&1 &
  until grep -q ":$port" "$0.other"; do sleep 0.01; done`;
  const cwd = await project(takenBetween('--port', other));
  const lines: string[] = [];
  const dev = await startDev({ cwd, embedding: 'lexical', temporalSource: 'kept', worker: false, report: (line) => lines.push(line) });
  onTestFinished(() => dev.stop());
  const { address } = dev.file().temporal;
  expect(address).not.toBe(`127.0.0.1:${readFileSync(`${keptBinary(folderOf(cwd))}.port`, 'utf8').trim()}`);
  expect(lines.filter((line) => line.includes('starting it again'))).toEqual([]);
});
