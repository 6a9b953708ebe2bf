import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Connection } from '@temporalio/client';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { identify, isAlive } from '../../config/identity.ts';
import type { Identity } from '../../config/identity.ts';
import { isHealthy } from '../../dev/temporal/grpc-health.ts';
import { spawnOwn, stopForeign } from '../../dev/processes.ts';
import { temporalFiles } from '../../dev/temporal/files.ts';
import { startTemporal } from '../../dev/temporal/server.ts';
import type { TemporalOptions } from '../../dev/temporal/server.ts';
import { stopProcess } from '../support/stop-process.ts';
import { serves, sharedTemporal, temporaryFolder, until } from './support.ts';

let binary: string;
beforeAll(async () => {
  binary = await sharedTemporal();
});

const start = async (dir: string, options: Partial<TemporalOptions> = {}) => {
  const server = await startTemporal({ dir, binary, headless: true, ...options });
  onTestFinished(() => server.stop());
  return server;
};

type Started = { pid: number; serverPid: number; address: string };

const named = (pid: number): Identity => {
  const identity = identify(pid);
  if (identity === undefined) throw new Error(`process ${pid} does not live`);
  return identity;
};

test('a started server serves, and keeps its port and data over a stop', async () => {
  const dir = temporaryFolder();
  const first = await start(dir);
  const connection = await Connection.connect({ address: first.address });
  await connection.workflowService.registerNamespace({ namespace: 'kept', workflowExecutionRetentionPeriod: { seconds: 86_400 as never } });
  await connection.close();
  await first.stop();
  expect(await isHealthy(first.address)).toBe(false);

  const second = await start(dir, { port: { port: Number(first.address.split(':')[1]) } });
  expect(second.address).toBe(first.address);
  const again = await Connection.connect({ address: second.address });
  const { namespaceInfo } = await again.workflowService.describeNamespace({ namespace: 'kept' });
  expect(namespaceInfo?.name).toBe('kept');
  await again.close();
});

test('the Web UI answers unless it is left out', async () => {
  const withUi = await start(temporaryFolder(), { headless: false });
  expect((await fetch(`${withUi.uiUrl}/`)).status).toBe(200);
  const without = await start(temporaryFolder());
  expect(without.uiUrl).toBeUndefined();
});

test('a second server on the same folder is refused with the process that has it', async () => {
  const dir = temporaryFolder();
  const first = await start(dir);
  const second = startTemporal({ dir, binary, headless: true });
  await expect(second).rejects.toMatchObject({
    message: expect.stringContaining(`process ${first.pid} (server ${first.serverPid}`),
    remedy: expect.stringContaining('dev --stop'),
  });
  expect(await serves(first.address)).toBe(true);
});

test('kill -9 of the parent ends server and watcher, and a start right after waits for that', async () => {
  const dir = temporaryFolder();
  const parent = spawnOwn<Started>({ entry: 'test/dev/fixtures/server-parent', args: [dir, binary], log: `${dir}/parent.log` });
  const { pid, serverPid } = await parent.ready;
  const [watcher, server] = [named(pid), named(serverPid)];
  process.kill(parent.pid, 'SIGKILL');
  await parent.exited;
  const next = await start(dir);
  expect([isAlive(watcher), isAlive(server)]).toEqual([false, false]);
  expect(await serves(next.address)).toBe(true);
});

test('kill -9 of parent and watcher leaves an orphan, which the next start ends', async () => {
  const dir = temporaryFolder();
  const parent = spawnOwn<Started>({ entry: 'test/dev/fixtures/server-parent', args: [dir, binary], log: `${dir}/parent.log` });
  const { pid, serverPid, address } = await parent.ready;
  const orphan = named(serverPid);
  // A stopped watcher cannot end its server before its own kill.
  await stopProcess(pid);
  process.kill(parent.pid, 'SIGKILL');
  await parent.exited;
  process.kill(pid, 'SIGKILL');
  await until(() => identify(pid) === undefined, 'the watcher is dead');
  expect([isAlive(orphan), await serves(address)]).toEqual([true, true]);
  await start(dir);
  expect(isAlive(orphan)).toBe(false);
});

test('a start is refused where the record of a server that may live is damaged', async () => {
  const dir = temporaryFolder();
  const parent = spawnOwn<Started>({ entry: 'test/dev/fixtures/server-parent', args: [dir, binary], log: `${dir}/parent.log` });
  const { pid, serverPid } = await parent.ready;
  const orphan = named(serverPid);
  onTestFinished(() => stopForeign(orphan, 0));
  await stopProcess(pid);
  process.kill(parent.pid, 'SIGKILL');
  await parent.exited;
  process.kill(pid, 'SIGKILL');
  await until(() => identify(pid) === undefined, 'the watcher is dead');
  const { record } = temporalFiles(dir);
  for (const text of ['', '{"watcher":', '{"watcher":{},"server":{}}', 'null']) {
    writeFileSync(record, text);
    await expect(startTemporal({ dir, binary, headless: true })).rejects.toMatchObject({
      name: 'DevError',
      message: expect.stringContaining(record),
      remedy: expect.stringContaining(`take ${record} away`),
    });
  }
  await stopForeign(orphan, 0);
  rmSync(record);
  expect(await serves((await start(dir)).address)).toBe(true);
});

test('a start is refused where something else was written into its lock', async () => {
  const dir = temporaryFolder();
  const { lock } = temporalFiles(dir);
  writeFileSync(lock, 'garbage '.repeat(200));
  const refused = { name: 'DevError', message: expect.stringContaining(lock), remedy: 'take the file away: it holds nothing' };
  await expect(startTemporal({ dir, binary, headless: true })).rejects.toMatchObject(refused);
  rmSync(lock);
  await start(dir);
});

test('a damaged record stops no start where there is no database, or after one that was seen to end', async () => {
  const dir = temporaryFolder();
  const { record } = temporalFiles(dir);
  writeFileSync(record, '');
  await (await start(dir)).stop();
  writeFileSync(record, '{}');
  expect(await serves((await start(dir, { afterOwn: true })).address)).toBe(true);
});

test('kill -9 of the server ends its watcher, which starts nothing by itself', async () => {
  const dir = temporaryFolder();
  const first = await start(dir);
  process.kill(first.serverPid, 'SIGKILL');
  expect((await first.exited).code).toBe(1);
  expect(await isHealthy(first.address)).toBe(false);
});

test('a command that is no server fails with its name', async () => {
  await expect(startTemporal({ dir: temporaryFolder(), binary: '/bin/false', headless: true })).rejects.toThrow(
    /the Temporal server ended \(exit 1\)/,
  );
});

const listed = async ({ address }: { address: string }): Promise<string[]> => {
  const connection = await Connection.connect({ address });
  const { namespaces } = await connection.workflowService.listNamespaces({});
  await connection.close();
  return namespaces.map((each) => each.namespaceInfo?.name ?? '').sort();
};

/** A database as the server has left it that was killed while it made its tables. */
const halfMade = (dir: string): void => {
  const database = new DatabaseSync(join(dir, 'temporal.db'));
  database.exec('create table namespaces (id blob primary key); create table namespace_metadata (version integer)');
  database.exec('insert into namespace_metadata values (1)');
  database.close();
};

test('a database whose making was cut short by a kill is made anew', async () => {
  const dir = temporaryFolder();
  halfMade(dir);
  expect(await listed(await start(dir))).toContain('default');
});

test('a database that holds anything is kept, whatever it lacks', async () => {
  const dir = temporaryFolder();
  halfMade(dir);
  const database = new DatabaseSync(join(dir, 'temporal.db'));
  database.exec(`insert into namespaces values ('one')`);
  database.close();
  await expect(startTemporal({ dir, binary, headless: true })).rejects.toMatchObject({
    message: expect.stringContaining('SQL logic error'),
  });
  const kept = new DatabaseSync(join(dir, 'temporal.db'), { readOnly: true });
  expect(kept.prepare('select count(*) as rows from namespaces').get()).toEqual({ rows: 1 });
  kept.close();
});

/** A server that crashes in its first `times` starts, as Go does: the reason, then the state of each thread, then exit 2. */
const crashing = (dir: string, times: number): string => {
  const file = join(dir, 'crashing');
  const lines = [
    ...['#!/bin/sh', `echo start >> '${join(dir, 'starts')}'`, `if [ $(wc -l < '${join(dir, 'starts')}') -le ${times} ]; then`],
    ...[`printf 'fatal error: concurrent map writes\\n\\ngoroutine 1 [running]:\\n' >&2; yes 'a line of a thread' | head -50 >&2; exit 2`],
    ...['fi', `exec '${binary}' "$@"`, ''],
  ];
  writeFileSync(file, lines.join('\n'), { mode: 0o755 });
  return file;
};

const starts = (dir: string): number => readFileSync(join(dir, 'starts'), 'utf8').trim().split('\n').length;

test.skipIf(process.platform === 'win32')('a server that crashes in its start is started again', async () => {
  const dir = temporaryFolder();
  const server = await start(dir, { binary: crashing(dir, 2) });
  expect([await serves(server.address), starts(dir)]).toEqual([true, 3]);
});

test.skipIf(process.platform === 'win32')(
  'a server that crashes in each start fails with the reason, not with the end of its log',
  async () => {
    const dir = temporaryFolder();
    const starting = startTemporal({ dir, binary: crashing(dir, 100), headless: true });
    await expect(starting).rejects.toMatchObject({
      message: expect.stringMatching(/^the Temporal server ended \(exit 2\)\nfatal error: concurrent map writes\n/),
    });
    expect(starts(dir)).toBe(5);
  },
);
