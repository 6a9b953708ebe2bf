import { existsSync, linkSync, cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { resolveService } from '../../config/connections.ts';
import { liveDevFile, readDevFile } from '../../config/dev-file.ts';
import { identify, isAlive } from '../../config/identity.ts';
import { loadConfig } from '../../config/load.ts';
import { temporalConnection } from '../../config/temporal.ts';
import { resetDev, startDetached, stopDev } from '../../dev/detach.ts';
import { isHealthy } from '../../dev/temporal/grpc-health.ts';
import { stopForeign } from '../../dev/processes.ts';
import { startDev } from '../../dev/supervisor.ts';
import type { DevOptions } from '../../dev/supervisor.ts';
import { keptBinary } from '../../dev/temporal/binary.ts';
import { readJsonFile, temporalFiles } from '../../dev/temporal/files.ts';
import type { TemporalRecord } from '../../dev/temporal/files.ts';
import { stopProcess } from '../support/stop-process.ts';
import { serves, sharedTemporal, temporaryFolder, until } from './support.ts';

beforeEach(() => vi.stubEnv('TEMPORAL_ADDRESS', undefined));
afterEach(() => vi.unstubAllEnvs());

/** A project that has the server already. */
const project = async (): Promise<string> => {
  const root = temporaryFolder();
  const kept = keptBinary(join(root, '.portolan'));
  mkdirSync(dirname(kept), { recursive: true });
  const shared = await sharedTemporal();
  try {
    linkSync(shared, kept);
  } catch {
    cpSync(shared, kept);
  }
  return root;
};

const start = async (cwd: string, options: Partial<DevOptions> = {}) => {
  const lines: string[] = [];
  const dev = await startDev({
    cwd,
    embedding: 'lexical',
    temporalSource: 'kept',
    worker: false,
    report: (line) => lines.push(line),
    ...options,
  });
  onTestFinished(() => dev.stop());
  return { dev, lines };
};

const answers = async (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

/** Processes that were started for a project: each is given its folder. */
const processesOf = (root: string): string[] =>
  (process.platform === 'linux' ? readdirSync('/proc') : [])
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return command.includes(root) ? [command] : [];
      } catch {
        return [];
      }
    });

test('dev starts, says where everything is, keeps no secret in that, and takes its ports again', async () => {
  const cwd = await project();
  const { dev } = await start(cwd);
  const file = dev.file();
  expect(readDevFile(dev.config.dir)).toEqual(file);
  const config = await loadConfig(cwd);
  expect(await serves(temporalConnection(config).address)).toBe(true);
  const local = resolveService(config, 'maps', 'local');
  const key = await local.token();
  expect(await answers(local.url)).toBe(true);

  expect(statSync(file.service.keyFiles.maps).mode & 0o777).toBe(0o600);
  const logs = readdirSync(join(dev.config.dir, 'logs')).map((name) => join(dev.config.dir, 'logs', name));
  for (const path of [join(dev.config.dir, 'dev.json'), ...logs]) expect(readFileSync(path, 'utf8')).not.toContain(key);

  await expect(startDev({ cwd, report: () => undefined })).rejects.toMatchObject({
    name: 'DevError',
    message: expect.stringContaining(`process ${process.pid}`),
  });

  await dev.stop();
  expect(existsSync(join(dev.config.dir, 'dev.json'))).toBe(false);
  expect([await isHealthy(file.temporal.address), await answers(file.service.url)]).toEqual([false, false]);
  const again = (await start(cwd)).dev.file();
  expect([again.temporal.address, again.temporal.uiUrl, again.service.url]).toEqual([
    file.temporal.address,
    file.temporal.uiUrl,
    file.service.url,
  ]);
});

test('a killed service and a killed server come back where they were', async () => {
  const { dev, lines } = await start(await project());
  const before = dev.file();
  process.kill(before.service.pid, 'SIGKILL');
  process.kill(before.temporal.pid ?? 0, 'SIGKILL');
  await until(() => {
    const now = readDevFile(dev.config.dir);
    return now !== undefined && now.service.pid !== before.service.pid && now.temporal.pid !== before.temporal.pid;
  }, 'both are written down anew');
  const now = dev.file();
  expect([now.service.url, now.temporal.address]).toEqual([before.service.url, before.temporal.address]);
  expect([await answers(now.service.url), await serves(now.temporal.address)]).toEqual([true, true]);
  expect(lines).toContain('service: ended (SIGKILL); starting it again');
});

test('a killed worker and a new step each make a new worker; all end in order', async () => {
  const cwd = await project();
  const { dev } = await start(cwd, { worker: true });
  const worker = (): number | undefined => readDevFile(dev.config.dir)?.worker?.pid;
  const first = worker();
  expect(first).toBeTypeOf('number');
  process.kill(first ?? 0, 'SIGKILL');
  await until(() => worker() !== undefined && worker() !== first, 'the worker is back');
  const second = worker();
  writeFileSync(join(cwd, 'portolan.config.mts'), 'export default {};');
  await until(() => worker() !== undefined && worker() !== second, 'the worker has read the new file');

  const order: string[] = [];
  const noted = Object.entries({ worker: dev.worker, service: dev.service, temporal: dev.temporal }).map(async ([name, part]) => {
    await part?.current()?.exited;
    order.push(name);
  });
  await dev.stop();
  await Promise.all(noted);
  expect(order).toEqual(['worker', 'service', 'temporal']);
});

test('a configured cluster is used and none is started', async () => {
  const { dev: other } = await start(await project());
  const cwd = temporaryFolder();
  vi.stubEnv('TEMPORAL_ADDRESS', other.file().temporal.address);
  const { dev, lines } = await start(cwd, { temporalSource: undefined });
  expect(dev.temporal).toBeUndefined();
  expect(dev.file().temporal).toMatchObject({ address: other.file().temporal.address, source: 'cluster' });
  expect(lines[0]).toContain('configured cluster');
  // The folder was made here: it holds what pipelines work on.
  expect(statSync(dev.config.dir).mode & 0o077).toBe(0);
});

test('detached: runs on without its parent, is stopped and reset', async () => {
  const cwd = await project();
  const file = await startDetached({ cwd, embedding: 'lexical', temporalSource: 'kept', worker: false });
  onTestFinished(async () => void (await stopDev(cwd)));
  expect(file.pid).not.toBe(process.pid);
  expect(isAlive(file)).toBe(true);
  await expect(startDetached({ cwd })).rejects.toThrow(`process ${file.pid}`);
  expect(liveDevFile(join(cwd, '.portolan'))?.pid).toBe(file.pid);

  expect(await stopDev(cwd)).toBe(true);
  expect(await stopDev(cwd)).toBe(false);
  const { pid = 0 } = file.temporal;
  expect([isAlive(file), identify(file.service.pid), identify(pid)]).toEqual([false, undefined, undefined]);

  await resetDev(cwd);
  expect(readdirSync(join(cwd, '.portolan')).sort()).toEqual(['dev.lock', 'temporal']);
});

test('kill -9 of a detached dev leaves nothing that runs, and the next start works', async () => {
  const cwd = await project();
  const options = { cwd, embedding: 'lexical', temporalSource: 'kept', worker: false } as const;
  const file = await startDetached(options);
  onTestFinished(async () => void (await stopDev(cwd)));
  process.kill(file.pid, 'SIGKILL');
  await until(() => [file.pid, file.service.pid, file.temporal.pid ?? 0].every((pid) => identify(pid) === undefined), 'all are gone');
  expect(liveDevFile(join(cwd, '.portolan'))).toBeUndefined();
  expect((await startDetached(options)).temporal.address).toBe(file.temporal.address);
});

const damages = {
  'cut to half': (text: string) => text.slice(0, text.length / 2),
  emptied: () => '',
  'of another shape': () => '{"version":1}',
};

test.each(Object.entries(damages))('a dev whose dev.json was %s is stopped', async (_, damage) => {
  const cwd = await project();
  const file = await startDetached({ cwd, embedding: 'lexical', temporalSource: 'kept', worker: false });
  onTestFinished(() => stopForeign(file));
  const path = join(cwd, '.portolan', 'dev.json');
  writeFileSync(path, damage(readFileSync(path, 'utf8')));
  await expect(startDetached({ cwd })).rejects.toThrow(`process ${file.pid}`);
  expect(await stopDev(cwd)).toBe(true);
  expect([isAlive(file), isAlive(file.service), existsSync(path)]).toEqual([false, false, false]);
});

test('garbage in dev.lock is said with its file and the remedy, by a start, a stop and a reset', async () => {
  const cwd = await project();
  const lock = join(cwd, '.portolan', 'dev.lock');
  writeFileSync(lock, 'garbage '.repeat(200));
  const refused = { name: 'DevError', message: expect.stringContaining(lock), remedy: 'take the file away: it holds nothing' };
  await expect(startDev({ cwd, report: () => undefined })).rejects.toMatchObject(refused);
  await expect(stopDev(cwd)).rejects.toMatchObject(refused);
  await expect(resetDev(cwd)).rejects.toMatchObject(refused);
  rmSync(lock);
  expect(await stopDev(cwd)).toBe(false);
});

test('a dev that nothing names any more is not taken for none', async () => {
  const cwd = await project();
  const file = await startDetached({ cwd, embedding: 'lexical', temporalSource: 'kept', worker: false });
  onTestFinished(() => stopForeign(file));
  for (const name of ['dev.json', 'dev.holder.json']) writeFileSync(join(cwd, '.portolan', name), '{}');
  const refused = { name: 'DevError', message: expect.stringContaining(cwd), remedy: expect.stringContaining('end its processes') };
  await expect(stopDev(cwd)).rejects.toMatchObject(refused);
  await expect(resetDev(cwd)).rejects.toMatchObject(refused);
  expect(isAlive(file)).toBe(true);
});

/** Makes the Temporal server of a project one that never serves, and that SIGTERM does not end. */
const neverServes = async (cwd: string): Promise<void> => {
  const command = keptBinary(join(cwd, '.portolan'));
  rmSync(command);
  writeFileSync(
    command,
    `#!/bin/sh\n[ "$1" = server ] || exec '${await sharedTemporal()}' "$@"\ntrap "" TERM\nwhile :; do sleep 0.1; done\n`,
    { mode: 0o755 },
  );
};

test.runIf(process.platform === 'linux').each([
  ['has only taken its folder', (cwd: string) => existsSync(join(cwd, '.portolan', 'dev.holder.json'))],
  ['has started its parts', (cwd: string) => processesOf(cwd).some((command) => command.includes('start-dev'))],
])('a dev that %s and is not ready yet is stopped, and nothing is left', async (_, hasCome) => {
  const cwd = await project();
  await neverServes(cwd);
  const starting = startDetached({ cwd, embedding: 'lexical', temporalSource: 'kept', worker: false });
  starting.catch(() => undefined);
  await until(() => hasCome(cwd), 'it is that far');
  expect(await stopDev(cwd)).toBe(true);
  expect(processesOf(cwd)).toEqual([]);
  await expect(starting).rejects.toMatchObject({ name: 'DevError', message: 'portolan dev was stopped while it started' });
  expect(readdirSync(join(cwd, '.portolan'))).not.toContain('dev.json');
});

test('a reset after kill -9 ends what dev has left before it deletes anything, and dev starts anew', async () => {
  const cwd = await project();
  const options = { cwd, embedding: 'lexical', temporalSource: 'kept' } as const;
  const file = await startDetached(options);
  onTestFinished(async () => void (await stopDev(cwd)));
  const { watcher, server } = readJsonFile<TemporalRecord>(temporalFiles(join(cwd, '.portolan')).record)!;
  // What is stopped cannot end anything before its own kill, as its supervisor's death would have it do.
  const killed = [watcher, file.service, file.worker!];
  onTestFinished(async () => void (await Promise.all(killed.concat(server).map((left) => stopForeign(left, 0)))));
  await Promise.all(killed.map(({ pid }) => stopProcess(pid)));
  for (const { pid } of [file, watcher]) process.kill(pid, 'SIGKILL');
  await until(() => !isAlive(file) && !isAlive(watcher), 'supervisor and watcher are dead');
  expect(killed.concat(server).map(isAlive)).toEqual([false, true, true, true]);
  await resetDev(cwd);
  expect(killed.concat(server).map(isAlive)).toEqual([false, false, false, false]);
  expect(readdirSync(join(cwd, '.portolan')).sort()).toEqual(['dev.lock', 'temporal']);
  expect(isAlive(await startDetached(options))).toBe(true);
});

test('detached: a start that fails gives its reason', async () => {
  const cwd = temporaryFolder();
  await expect(startDetached({ cwd, temporalSource: 'kept', embedding: 'lexical', worker: false })).rejects.toMatchObject({
    message: expect.stringContaining('nothing there'),
    remedy: expect.stringContaining('any one of these'),
  });
  expect(existsSync(join(cwd, '.portolan/dev.json'))).toBe(false);
});

const brokenConfigs = {
  throws: { 'portolan.config.mts': `throw new Error('broken');` },
  'is refused': { 'portolan.config.mts': `export default { store: 7 };` },
  'names a step file that is not there': { 'portolan.config.mts': `export default { steps: ['steps/gone.mts'] };` },
} satisfies Record<string, Record<string, string>>;

test.each(Object.entries(brokenConfigs))('a configuration that %s is said before anything is started', async (_, files) => {
  const root = await project();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  const lines: string[] = [];
  const starting = startDev({ cwd: root, temporalSource: 'kept', report: (line) => lines.push(line) });
  await expect(starting).rejects.toMatchObject({ name: 'ConfigError' });
  expect([lines, processesOf(root), existsSync(join(root, '.portolan', 'logs'))]).toEqual([[], [], false]);
});

test.runIf(process.platform === 'linux')('a step that no worker can load ends what was started beside it', async () => {
  const root = await project();
  mkdirSync(join(root, 'steps'));
  writeFileSync(join(root, 'steps', 'bad.mts'), `throw new Error('broken step');`);
  const starting = startDev({ cwd: root, embedding: 'lexical', temporalSource: 'kept', report: () => undefined });
  await expect(starting).rejects.toThrow('broken step');
  await until(() => processesOf(root).length === 0, 'nothing is left');
  expect(readDevFile(join(root, '.portolan'))).toBeUndefined();
});

test.runIf(process.platform === 'linux')('what runs is stopped and reset though the configuration is broken now', async () => {
  const root = await project();
  await startDetached({ cwd: root, embedding: 'lexical', temporalSource: 'kept' });
  expect(processesOf(root).length).toBeGreaterThanOrEqual(4);
  writeFileSync(join(root, 'portolan.config.mts'), `throw new Error('broken');`);
  expect(await stopDev(root)).toBe(true);
  await until(() => processesOf(root).length === 0, 'nothing is left');
  expect((await resetDev(root)).length).toBeGreaterThan(0);
});
