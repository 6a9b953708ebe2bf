import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startChild } from '../../child/host/child-process.ts';
import { partialFolder } from '../../child/partial-folder.ts';
import type { ChildSettings } from '../../child/protocol.ts';
import type { ShardRequest } from '../../child/tables.ts';
import { stopProcess } from '../support/stop-process.ts';
import { createBench, refusal, sample } from './support.ts';

/** Children of a process whose arguments name the folder of the bench. */
const childrenOf = (pid: number, folder: string): number[] =>
  execFileSync('ps', ['-ww', '-o', 'pid=,args=', '--ppid', String(pid)], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => (line.includes(folder) ? [Number.parseInt(line, 10)] : []));

const childOf = (folder: string): number => childrenOf(process.pid, folder)[0]!;

const alive = (pid: number): boolean => existsSync(`/proc/${pid}`);

/** A request over 200,000 rows. */
const many = (into: string): ShardRequest => ({
  source: sample('flights-200k.json'),
  into,
  projectId: 'p',
  idField: 'id_',
  id: { row: true },
  maxRows: 5_000,
  maxBytes: 16_000_000,
});

/** One that no machine ends: 10^9 steps for each row. */
const endless = (into: string): ShardRequest => ({
  ...many(into),
  columns: {
    v: `list_sum(list_transform(range(1000), lambda x: list_sum(list_transform(range(1000), lambda y:
      list_sum(list_transform(range((1000 + delay)::bigint), lambda z: (x + y + z) % 7))))))`,
  },
});

/** A request is under way once its folder is there. */
const begun = (into: string) => expect.poll(() => existsSync(partialFolder(into))).toBe(true);

/** From here on no time passes for limits. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

test('a request beyond its time is a verdict; the next one gets a fresh child', async () => {
  await using bench = await createBench({ seconds: 1 });
  const refused = await refusal(bench.tables.shard(endless(`${bench.folder}/slow`)));
  expect(refused).toEqual({ verdict: 'timeout', message: expect.stringMatching(/flights-200k\.json: takes longer/) });
  stopClock();
  expect(await bench.tables.inspect(sample('cars.json'))).toMatchObject({ rows: 406 });
  expect(
    (await readdir(bench.folder)).filter((name) => name.includes('slow')),
    'no half-written result',
  ).toEqual([]);
});

test('a child that dies in the middle is a verdict; the next request is served', async () => {
  await using bench = await createBench({});
  await bench.tables.inspect(sample('cars.json'));
  const pid = childOf(bench.folder);
  const into = `${bench.folder}/slow`;
  const refused = refusal(bench.tables.shard(endless(into)));
  await begun(into);
  process.kill(pid, 'SIGSEGV');
  expect(await refused).toEqual({ verdict: 'crashed', message: expect.stringMatching(/SIGSEGV/) });
  expect(await bench.tables.inspect(sample('cars.json'))).toMatchObject({ rows: 406 });
});

test('a child that died while idle costs no request a verdict', async () => {
  await using bench = await createBench({});
  for (let round = 0; round < 5; round += 1) {
    await bench.tables.inspect(sample('cars.json'));
    process.kill(childOf(bench.folder), 'SIGKILL');
    expect(await bench.tables.inspect(sample('barley.json'))).toMatchObject({ rows: 120 });
  }
});

test('an abort kills the child and is an abort, not a verdict; a waiting request is aborted at once', async () => {
  await using bench = await createBench({});
  await bench.tables.inspect(sample('cars.json'));
  const pid = childOf(bench.folder);
  const controller = new AbortController();
  const into = `${bench.folder}/slow`;
  const running = refusal(bench.tables.shard(endless(into), { signal: controller.signal }));
  const waiting = refusal(bench.tables.inspect(sample('cars.json'), { signal: AbortSignal.abort(new Error('not needed')) }));
  await begun(into);
  controller.abort(new Error('cancelled'));
  expect(await waiting).toEqual({ verdict: undefined, message: 'not needed' });
  expect(await running).toEqual({ verdict: undefined, message: 'cancelled' });
  expect(await bench.tables.inspect(sample('cars.json'))).toMatchObject({ rows: 406 });
  expect(alive(pid)).toBe(false);
});

test('requests of many callers are served by the children there are', async () => {
  await using bench = await createBench({ children: 2 });
  const all = await Promise.all(
    ['cars.json', 'movies.json', 'barley.json', 'stocks.csv'].map((name) => bench.tables.inspect(sample(name))),
  );
  expect(all.map(({ rows }) => rows)).toEqual([406, 3201, 120, 560]);
  expect(childrenOf(process.pid, bench.folder)).toHaveLength(2);
});

test('a small file does not wait for a large one; the kill of its child leaves the large one alone', async () => {
  await using bench = await createBench({ children: 2 });
  await bench.tables.inspect(sample('cars.json'));
  const first = childOf(bench.folder);
  // The large one stands still until the small ones are done; a child may take its time to start.
  stopClock();
  await stopProcess(first);
  const large = bench.tables.shard(many(`${bench.folder}/large`));
  expect(await bench.tables.inspect(sample('barley.json'))).toMatchObject({ rows: 120 });
  const neighbour = childrenOf(process.pid, bench.folder).find((pid) => pid !== first)!;
  process.kill(neighbour, 'SIGKILL');
  expect(await bench.tables.inspect(sample('cars.json'))).toMatchObject({ rows: 406 });
  process.kill(first, 'SIGCONT');
  expect((await large).rows).toBe(200_000);
});

test('a child is replaced after its requests, and its folder goes with it', async () => {
  await using bench = await createBench({ children: 1, requestsPerChild: 2 });
  const seen: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    await bench.tables.inspect(sample('cars.json'));
    const [pid] = childrenOf(process.pid, bench.folder);
    if (pid !== undefined) seen.push(pid);
  }
  expect(new Set(seen).size).toBe(2);
  await expect.poll(() => readdir(bench.folder)).toHaveLength(1);
});

test('a child without work is ended, and its folder with it', async () => {
  await using bench = await createBench({ idleSeconds: 0.05 });
  await bench.tables.inspect(sample('cars.json'));
  await expect.poll(() => childrenOf(process.pid, bench.folder)).toEqual([]);
  await expect.poll(() => readdir(bench.folder)).toEqual([]);
  expect(await bench.tables.inspect(sample('cars.json'))).toMatchObject({ rows: 406 });
});

test('close ends the child and removes its folder', async () => {
  await using bench = await createBench({});
  await bench.tables.inspect(sample('cars.json'));
  const pid = childOf(bench.folder);
  await bench.tables.close();
  expect(alive(pid)).toBe(false);
  expect(await readdir(bench.folder)).toEqual([]);
  await expect(bench.tables.inspect(sample('cars.json'))).rejects.toThrow('closed');
});

test('the child ends with its parent, even in the middle of a request', async () => {
  await using bench = await createBench({});
  const into = `${bench.folder}/slow`;
  const module = fileURLToPath(new URL('../../child/host/create-tables.ts', import.meta.url));
  const script = `
    const { createTables } = await import(${JSON.stringify(module)});
    const tables = createTables({ tempDir: ${JSON.stringify(bench.folder)} });
    await tables.inspect(${JSON.stringify(sample('cars.json'))});
    console.log('ready');
    await tables.shard(${JSON.stringify(endless(into))});`;
  const parent = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(parent.stdout, 'data');
  const [pid] = childrenOf(parent.pid!, bench.folder);
  expect(pid).toBeDefined();
  await begun(into);
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await expect.poll(() => alive(pid!)).toBe(false);
  // What it had begun to write for its parent is for the next attempt to replace.
  const own = async (): Promise<string[]> => (await readdir(bench.folder)).filter((name) => name.startsWith('portolan-tables-'));
  await expect.poll(own).toEqual([]);
});

test('a child whose parent goes while it starts ends too, and leaves no folder', async () => {
  await using bench = await createBench({});
  const tempDir = `${bench.folder}/portolan-tables-left`;
  await mkdir(tempDir);
  const settings: ChildSettings = { tempDir, memoryMb: 256, residentBytes: 1024 ** 3, tempGiB: 1 };
  const entry = fileURLToPath(new URL('../../child/inside/main.ts', import.meta.url));
  // It loads its code when its parent is gone already.
  const late = "data:text/javascript,await new Promise((go) => process.once('disconnect', go))";
  const child = fork(entry, [JSON.stringify(settings)], {
    execArgv: ['--disable-warning=ExperimentalWarning', '--import', late],
    serialization: 'advanced',
  });
  child.disconnect();
  await once(child, 'exit');
  expect(await readdir(bench.folder)).toEqual([]);
});

test('an idle child does not keep its parent alive', async () => {
  await using bench = await createBench({});
  const module = fileURLToPath(new URL('../../child/host/create-tables.ts', import.meta.url));
  const script = `
    const { createTables } = await import(${JSON.stringify(module)});
    const { rows } = await createTables({ tempDir: ${JSON.stringify(bench.folder)}, idleSeconds: 3600 }).inspect(${JSON.stringify(sample('cars.json'))});
    console.log(rows);`;
  expect(
    execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 300_000,
    }),
  ).toBe('406\n');
});

test.skipIf(process.platform !== 'linux')("the child knows nothing of its parent's environment", async () => {
  vi.stubEnv('PORTOLAN_CANARY', 'canary-of-the-parent');
  const child = await startChild({ tempGiB: 8, memoryMb: 256 });
  try {
    const environment = await readFile(`/proc/${child.pid}/environ`, 'utf8');
    expect(environment).toContain('TZ=UTC');
    expect(environment).not.toContain('canary-of-the-parent');
  } finally {
    child.kill();
    await child.ended;
    vi.unstubAllEnvs();
  }
});
