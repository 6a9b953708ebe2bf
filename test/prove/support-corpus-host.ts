import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createTables } from '../../child/host/create-tables.ts';
import { parse } from '../../pipelines/file/parse.ts';
import { castAll } from './support-corpus.ts';

/** How a file ended: rows, a verdict, `error`, which is none, or `hang`, which is no end at all. */
export type End = { end: string; message: string; rows: number; ms: number };

/** What came of one file: opened and counted, then converted whole. */
export type Tried = { inspected: End; converted?: End };

export type HostSettings = { tempDir: string; seconds: number; memoryMb: number; children: number; tempGiB?: number };

type Request = { id: number; path: string; text?: string };
type Reply = { id: number; tried: Tried };

export type Host = {
  pid: number;
  /** Processes that died on us. */
  readonly deaths: number;
  try(path: string, text?: string): Promise<Tried>;
  kill(): Promise<void>;
  close(): Promise<void>;
};

const entry = fileURLToPath(import.meta.url);

/** A process of its own that hosts `Tables` as a worker does: what a file does to it is seen from outside. */
export async function startHost(settings: HostSettings): Promise<Host> {
  const host: ChildProcess = fork(entry, [JSON.stringify(settings)], { execArgv: ['--disable-warning=ExperimentalWarning'] });
  const waiting = new Map<number, { resolve(tried: Tried): void; reject(error: Error): void }>();
  let ids = 0;
  let deaths = 0;
  let closing = false;
  host.on('message', ({ id, tried }: Reply) => {
    waiting.get(id)?.resolve(tried);
    waiting.delete(id);
  });
  const exited = once(host, 'exit').then(() => {
    if (!closing) deaths += 1;
    for (const { reject } of waiting.values()) reject(new Error('the process that hosts the tables died'));
    waiting.clear();
  });
  await once(host, 'message');
  return {
    pid: host.pid!,
    get deaths() {
      return deaths;
    },
    try(path, text) {
      const id = ++ids;
      const { promise, resolve, reject } = Promise.withResolvers<Tried>();
      waiting.set(id, { resolve, reject });
      host.send({ id, path, ...(text === undefined ? {} : { text }) } satisfies Request);
      return promise;
    },
    async kill() {
      host.kill('SIGKILL');
      await exited;
    },
    async close() {
      closing = true;
      if (host.connected) host.disconnect();
      await exited;
    },
  };
}

/** No machine is so slow that a request which its limit should have ended is still under way by then. */
const never = 20 * 60_000;

async function ended(work: () => Promise<number>): Promise<End> {
  const start = performance.now();
  const since = (): number => Math.round(performance.now() - start);
  const watch = new AbortController();
  try {
    const rows = await Promise.race([work(), sleep(never, undefined, { signal: watch.signal, ref: false })]);
    if (rows === undefined) return { end: 'hang', message: 'nothing ended it', rows: 0, ms: since() };
    return { end: 'rows', message: '', rows, ms: since() };
  } catch (error) {
    const { name, message, verdict } = error as Error & { verdict?: string };
    return { end: name === 'BadInput' && verdict ? verdict : 'error', message, rows: 0, ms: since() };
  } finally {
    watch.abort();
  }
}

async function serve(settings: HostSettings): Promise<void> {
  const tables = createTables(settings);
  let made = 0;
  const table = async (path: string): Promise<Tried> => {
    let columns: { name: string; type: string }[] = [];
    const inspected = await ended(async () => {
      const facts = await tables.inspect(path);
      columns = facts.columns;
      return facts.rows;
    });
    if (inspected.end !== 'rows') return { inspected };
    const into = join(settings.tempDir, `out-${++made}`);
    const converted = await ended(async () => {
      const result = await tables.shard({
        source: path,
        id: { row: true },
        columns: castAll(columns),
        into,
        projectId: 'project-1',
        idField: 'id_',
        maxRows: 5_000,
        maxBytes: 16_000_000,
      });
      if (result.rows !== inspected.rows || result.sent + result.rejected !== result.rows)
        throw new Error(`${inspected.rows} rows counted, ${result.rows} read, ${result.sent} sent, ${result.rejected} rejected`);
      return result.rows;
    });
    await rm(into, { recursive: true, force: true });
    return { inspected, converted };
  };
  const yaml = async (text: string): Promise<Tried> => ({
    inspected: await ended(async () => {
      const { findings } = parse(text);
      const [first] = findings;
      if (first) throw Object.assign(new Error(first.message), { name: 'BadInput', verdict: first.code });
      return 1;
    }),
  });
  process.on('message', ({ id, path, text }: Request) => {
    void (async () => {
      const tried = path.endsWith('.yaml') ? await yaml(text ?? (await readFile(path, 'utf8'))) : await table(path);
      process.send!({ id, tried } satisfies Reply);
    })();
  });
  process.on('disconnect', () => void tables.close());
  process.send!('ready');
}

if (process.argv[1] === entry && process.send) await serve(JSON.parse(process.argv[2] ?? '{}') as HostSettings);
