import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Field, Float32, Int32, Schema, Table, TimestampMillisecond, Utf8, tableToIPC, vectorFromArray } from 'apache-arrow';
import type { DataType } from 'apache-arrow';
import { createCalls, type Calls } from '../../client/invoke.ts';
import type { Transport } from '../../client/send.ts';
import { createPermits } from '../../client/permits.ts';
import { revealing } from '../../client/secret-sink.ts';
import { limits } from '../../contracts/limits.ts';
import { createService } from '../../service/app.ts';
import type { ServiceOptions } from '../../service/app.ts';

// Tests read answers as loose JSON: what is checked is said by the expectation.
export type Answer = { status: number; headers: Headers; body: any; bytes: Uint8Array };
type Fetch = (request: Request) => Promise<Response>;

/** Plain HTTP against a service, in process or over a socket, without the product's own client. */
export const createApi = (fetch: Fetch, baseUrl: string, key: string | null) => {
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const bytes = body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : body === undefined ? null : JSON.stringify(body);
    const response = await fetch(
      new Request(`${baseUrl}${path}`, {
        method,
        headers: {
          ...(key ? { authorization: `Bearer ${key}` } : {}),
          ...(typeof bytes === 'string' ? { 'content-type': 'application/json' } : {}),
          ...headers,
        },
        body: bytes,
      }),
    );
    const answered = new Uint8Array(await response.arrayBuffer());
    const json = response.headers.get('content-type') === 'application/json';
    return {
      status: response.status,
      headers: response.headers,
      body: json ? JSON.parse(new TextDecoder().decode(answered)) : undefined,
      bytes: answered,
    };
  };
  return {
    send,
    get: (path: string, headers?: Record<string, string>) => send('GET', path, undefined, headers),
    post: (path: string, body?: unknown, headers?: Record<string, string>) => send('POST', path, body ?? {}, headers),
  };
};
export type Api = ReturnType<typeof createApi>;

export const createWorld = async (options: Partial<ServiceOptions> = {}) => {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'portolan-service-'));
  const service = createService({ control: true, embedding: 'lexical', checkAnswers: true, ...options, dataDir });
  const api = createApi(service.fetch, 'http://127.0.0.1', service.adminKeys.maps);
  const user = (await api.get('/v1/user/')).body;
  return {
    dataDir,
    service,
    api,
    organization: user.organizations[0] as { organization_id: string; slug: string },
    close: () => service.close(),
    async [Symbol.asyncDispose]() {
      await service.close();
      if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
export type World = Awaited<ReturnType<typeof createWorld>>;

/** The product's own client of the service, which listens, with a key; `more`: how it sends otherwise. */
export const callsOf = ({ service }: Pick<World, 'service'>, token: string, more: Partial<Transport> = {}): Calls =>
  createCalls(() => ({ baseUrl: service.url, token, permits: createPermits(), secrets: revealing, ...more }));

/** Lifts the limits of the instance API, which are by the minute: for tests of something else. */
export const unlimited = async ({ api }: Pick<World, 'api'>): Promise<void> => {
  for (const limit of Object.keys(limits).filter((name) => name.startsWith('instance/')))
    await api.post('/__control/limits', { class: limit, count: null });
};

type Columns = Record<string, { type: DataType; values: unknown[] }>;

/** One Arrow IPC file with the metadata that names its target. */
export const arrowFile = (metadata: Record<string, string>, columns: Columns): Uint8Array => {
  const schema = new Schema(
    Object.entries(columns).map(([name, { type }]) => new Field(name, type, true)),
    new Map(Object.entries(metadata)),
  );
  return tableToIPC(
    new Table(
      schema,
      Object.fromEntries(Object.entries(columns).map(([name, { type, values }]) => [name, vectorFromArray(values as never[], type)])),
    ),
    'file',
  );
};

export const words = ['ship', 'harbour', 'storm', 'cook', 'kitchen', 'bread', 'engine', 'wheel', 'road'];

/** `count` rows from number `from` on: id, text, year, score, when. */
export const shardOf = (projectId: string, count: number, { from = 0, ignore = true } = {}): Uint8Array => {
  const rows = Array.from({ length: count }, (_, at) => from + at);
  return arrowFile(
    { project_id: projectId, ...(ignore ? { on_id_conflict_ignore: 'true' } : {}) },
    {
      id: { type: new Utf8(), values: rows.map((row) => `row-${row}`) },
      text: { type: new Utf8(), values: rows.map((row) => `${words[row % words.length]} number ${row}`) },
      year: { type: new Int32(), values: rows.map((row) => 1900 + (row % 100)) },
      score: { type: new Float32(), values: rows.map((row) => row / 10) },
      when: { type: new TimestampMillisecond(), values: rows.map((row) => row * 86_400_000) },
    },
  );
};

export const createProject = async (
  { api, organization }: Pick<World, 'api' | 'organization'>,
  project_name = 'ships',
  more: object = {},
): Promise<{ project_id: string; slug: string }> => {
  const { status, body } = await api.post('/v1/project/create', {
    organization_id: organization.organization_id,
    project_name,
    unique_id_field: 'id',
    ...more,
  });
  if (status !== 201) throw new Error(`create: ${status} ${JSON.stringify(body)}`);
  return body;
};

export const addRows = async (api: Api, projectId: string, count: number, options?: { from?: number; ignore?: boolean }): Promise<Answer> =>
  api.post('/v1/project/data/add/arrow', shardOf(projectId, count, options));

export const indexOrder = (project_id: string, more: object = {}) => ({
  project_id,
  index_name: 'map',
  indexed_field: 'text',
  model: 'svc-embed-text-v1',
  nearest_neighbor_index: 'HNSWIndex',
  projection: 'SvcProject',
  ...more,
});

/** Polls until the build has ended; the stage it ended in. */
export const built = async (api: Api, jobId: string): Promise<string> => {
  const { body: job } = await api.get(`/v1/project/index/job/${jobId}`);
  for (;;) {
    const { body } = await api.get(`/v1/project/index/job/progress/${job.index_id}`);
    if (['Completed', 'Failed'].includes(body.index_build_stage)) return body.index_build_stage;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

/** A project with `count` rows and a finished map. */
export const createMap = async (world: Pick<World, 'api' | 'organization'>, count = 60, more: object = {}) => {
  const { project_id } = await createProject(world);
  const added = await addRows(world.api, project_id, count);
  if (added.status !== 200) throw new Error(`add: ${added.status} ${JSON.stringify(added.body)}`);
  const created = await world.api.post('/v1/project/index/create', indexOrder(project_id, more));
  if (created.status !== 200) throw new Error(`index: ${created.status} ${JSON.stringify(created.body)}`);
  const stage = await built(world.api, created.body.job_id);
  return { project_id, map: created.body.projection_id as string, job: created.body.job_id as string, stage };
};
