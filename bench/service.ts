import { Agent, request as httpRequest } from 'node:http';
import { Field, Int32, Schema, Table, Utf8, tableToIPC, vectorFromArray } from 'apache-arrow';
import { line } from '../test/prove/proof.ts';
import { inPairs } from './bench.ts';
import type { Bench } from './bench.ts';
import { startServer } from './support-process.ts';
import { startService } from './support-service.ts';

const IN_FLIGHT = 8;
const MEASURED_MS = 1_500;

type Load = { url: string; method: 'GET' | 'POST'; body?: () => string; key: string };

/** Requests answered per second, so many at a time over connections that stay open. */
const perSecond = async ({ url, method, body, key }: Load): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
  const once = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const sent = httpRequest(url, { method, agent, headers: { authorization: `Bearer ${key}` } }, (answer) => {
        answer.resume();
        answer.on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error(`${method} ${url}: ${answer.statusCode}`))));
      });
      sent.on('error', reject);
      sent.end(body?.());
    });
  const started = performance.now();
  let answered = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() - started < MEASURED_MS) {
      await once();
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  agent.destroy();
  return answered / ((performance.now() - started) / 1_000);
};

const rows = (project: string): Uint8Array => {
  const numbers = Array.from({ length: 1_000 }, (_, row) => row);
  const schema = new Schema([new Field('id', new Utf8(), true), new Field('n', new Int32(), true)], new Map([['project_id', project]]));
  const columns = { id: vectorFromArray(numbers.map(String), new Utf8()), n: vectorFromArray(numbers, new Int32()) };
  return tableToIPC(new Table(schema, columns), 'file');
};

export const bench: Bench = {
  name: 'service',
  what: `requests per second of the service (key, limits, contract, log; POSTs with a durable effect and its journal row), ${IN_FLIGHT} at a time, against a bare node:http server that answers the same bytes`,
  async run({ note, pairs }) {
    await using service = await startService();
    const project = await service.dataset('requests');
    await service.call('/v1/project/data/add/arrow', rows(project));
    const { map } = await service.index(project, { projection_hyperparameters: '{"model":"random"}' });
    let change = 0;
    const loads = {
      'GET user': { method: 'GET', path: '/v1/user/' },
      'POST project update': {
        method: 'POST',
        path: `/v1/project/update?project_id=${project}`,
        body: () => JSON.stringify({ id: project, description: `change ${change++}` }),
      },
      'POST tag of one point': {
        method: 'POST',
        path: '/v1/query/update/tag/ids',
        body: () =>
          JSON.stringify({
            projection_id: map,
            tag_name: `tag ${change % 7}`,
            ids: [String(change++ % 1_000)],
            operation: 'add',
            id_field: 'id',
          }),
      },
    } as const satisfies Record<string, { method: 'GET' | 'POST'; path: string; body?: () => string }>;

    const lines = [];
    const figures: Record<string, number> = {};
    for (const [name, load] of Object.entries(loads)) {
      const { method, path } = load;
      const body = 'body' in load ? load.body : undefined;
      const example = await service.call<unknown>(path, body && (JSON.parse(body()) as object));
      await using bare = await startServer<{ url: string }>('bare-server', { [method]: JSON.stringify(example) });
      const common = { method, key: service.adminKeys.maps, ...(body ? { body } : {}) };
      const { ours, baseline, ratio } = await inPairs(
        pairs,
        () => perSecond({ ...common, url: `${service.url}${path}` }),
        () => perSecond({ ...common, url: `${bare.url}${path}` }),
        (text) => note(`${name}: ${text}`),
      );
      lines.push(
        line(
          `${name}: requests/s, service / bare server`,
          `${ratio.toFixed(3)} (${ours.toFixed(0)} / ${baseline.toFixed(0)})`,
          'shown',
          true,
        ),
      );
      const key = name.toLowerCase().replaceAll(' ', '_');
      figures[`${key}_per_s`] = ours;
      figures[`${key}_ratio`] = ratio;
    }
    return { lines, figures };
  },
};
