import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createClient } from '../../client/create-client.ts';
import { createPermits } from '../../client/permits.ts';
import { spawnOwn } from '../../dev/processes.ts';
import type { ServiceReady } from '../../service/app.ts';
import { line, type Proof } from './proof.ts';
import { heapEnv, heapMb } from './support-memory.ts';

const mostGrowthMb = 25;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const ownMb = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1e6;
};

const heapFileOf = (data: string): string => join(data, 'heap');

const startService = (data: string) =>
  spawnOwn<ServiceReady>({
    entry: 'service/main',
    args: ['--data', data, '--json', '--control', '--embedding', 'lexical'],
    log: join(data, 'log'),
    quiet: true,
    env: { ...process.env, ...heapEnv(heapFileOf(data)) },
  });

const open = async (service: ReturnType<typeof startService>) => {
  const { url, adminKeys } = await service.ready;
  for (const limit of ['instance/standard', 'instance/heavy'])
    await fetch(`${url}/__control/limits`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ class: limit, count: 10_000_000, seconds: 60 }),
    });
  return createClient('instance', { baseUrl: url, token: adminKeys.instance, permits: createPermits() });
};

type Api = Awaited<ReturnType<typeof open>>;

/** Writes so many ended agents into the records of a service that is stopped, as copies of the one that is there. */
function multiply(data: string, count: number): void {
  const db = new DatabaseSync(join(data, 'records.sqlite'));
  const columns = db
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all('agents')
    .map(({ name }) => String(name))
    .filter((name) => name !== 'seq' && name !== 'id');
  const copy = db.prepare(`INSERT INTO agents (id, ${columns.join(', ')}) SELECT ?, ${columns.join(', ')} FROM agents LIMIT 1`);
  // None of them is due: what is listed are agents that have ended.
  db.exec("BEGIN; UPDATE agents SET status = 'finished', due_at = NULL");
  for (let at = 1; at < count; at++) copy.run(randomUUID());
  db.exec('COMMIT');
  db.close();
}

/** Goes through all pages; `each` gets them. */
async function walk(api: Api, each: (ids: string[], page: number) => Promise<void> | void): Promise<void> {
  let cursor: string | undefined;
  let page = 0;
  do {
    const { data, nextCursor } = await api.agents.list({ limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    await each(
      data.map(({ id }) => id),
      page++,
    );
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
}

export const proof: Proof = {
  name: 'agent-pages',
  sets: ['agents'],
  what: '100,000 agents listed page by page: each once, while more are launched; the memory of service and client stays flat',
  async run({ note, short }) {
    const count = short ? 5_000 : 100_000;
    const data = await mkdtemp(join(tmpdir(), 'portolan-agents-'));
    let service = startService(data);
    try {
      await (await open(service)).agents.launch({ prompt: { text: 'Summarise: one.' } });
      await service.stop();
      multiply(data, count);
      service = startService(data);
      const api = await open(service);
      const seen = new Set<string>();
      let repeated = 0;
      type Held = { client: number; service: number };
      const held = async (): Promise<Held> => ({ client: ownMb(), service: await heapMb(service.pid, heapFileOf(data)) });
      let first: Held = { client: 0, service: 0 };
      let last = first;
      const pages = count / 100;
      const started = performance.now();
      await walk(api, async (ids, page) => {
        // Bits of the ids: what is held must not be what grows.
        for (const id of ids) {
          const short = id.slice(0, 13);
          if (seen.has(short)) repeated++;
          seen.add(short);
        }
        if (page % 100 === 50) await api.agents.launch({ prompt: { text: `Summarise: ${page}.` } });
        if (page === Math.floor(pages / 5)) first = await held();
        if (page === pages - 1) last = await held();
      });
      const seconds = (performance.now() - started) / 1_000;
      note(
        `${pages} pages in ${seconds.toFixed(1)} s: client ${first.client.toFixed(0)} → ${last.client.toFixed(0)} MB, service ${first.service.toFixed(0)} → ${last.service.toFixed(0)} MB`,
      );
      const kept: object[] = [];
      const before = ownMb();
      await walk(api, (ids) => void kept.push(...ids.map((id) => ({ id, padding: `${id}`.repeat(60) }))));
      const whole = ownMb() - before;
      return [
        line('agents seen', seen.size, `${count}, those launched meanwhile stand above`, seen.size === count),
        line('seen twice', repeated, '0', repeated === 0),
        ...(['service', 'client'] as const).map((of) => {
          const growth = last[of] - first[of];
          return line(
            `what the ${of} holds, from a fifth of the pages to the last`,
            `+ ${growth.toFixed(1)} MB`,
            `≤ ${mostGrowthMb}`,
            growth <= mostGrowthMb,
          );
        }),
        line(
          'control, a client that keeps what it has read',
          `heap + ${whole.toFixed(1)} MB`,
          `> ${short ? 1 : mostGrowthMb}`,
          whole > (short ? 1 : mostGrowthMb) && kept.length >= count,
        ),
      ];
    } finally {
      await service.stop();
      await rm(data, { recursive: true, force: true, maxRetries: 3 });
    }
  },
};
