import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CallOptions } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import type { OperationName } from '../../contracts/index.ts';
import { partOperation } from '../../contracts/maps/uploads.ts';
import { shardOf } from '../service/world.ts';
import { forEver, once, share, type Found } from './support-found.ts';
import { random, unlocked } from './support-random-maps.ts';
import type { OwnService } from './support-service.ts';
import { agentWriters, prepareAgents } from './support-writes-agents.ts';
import { keyWriters, prepareKeys } from './support-writes-keys.ts';
import { mapWriters, prepareMaps } from './support-writes-maps.ts';
import { peopleWriters, preparePeople } from './support-writes-people.ts';
import { prepareWork, workWriters } from './support-writes-work.ts';

/** One write as its sender knows it. */
export type Write = {
  operation: OperationName | typeof partOperation;
  answered: boolean;
  /** Set where the answer came: the journal holds a row of it. */
  requestId?: string;
  find(): Promise<Found>;
};

export type Writer = {
  /** Sends a write; recorded before it is sent, acknowledged when its answer has come. */
  write<T>(operation: Write['operation'], send: (options: CallOptions) => Promise<T>, find: () => Promise<Found>): Promise<T>;
};

/** Notes every write of a round. */
export function createWriter(): Writer & { writes: Write[] } {
  const writes: Write[] = [];
  return {
    writes,
    async write(operation, send, find) {
      const noted: Write = { operation, answered: false, find };
      writes.push(noted);
      const answer = await send({ onAnswer: ({ requestId }) => (noted.requestId = requestId) });
      noted.answered = true;
      return answer;
    },
  };
}

const rowsOf = (from: number, count: number): string[] => Array.from({ length: count }, (_, at) => `row-${from + at}`);

/** How many of some rows a dataset holds. The service names up to 100 unknown ids of a call. */
async function rowsThere({ api }: OwnService, project_id: string, ids: string[]): Promise<number> {
  try {
    return (await api.data.get({ project_id, datum_ids: ids })).datums.length;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    return ids.length - ids.filter((id) => new RegExp(`\\b${id}\\b`).test(error.message + error.body)).length;
  }
}

/** What a round's writers work on; made before the first write that counts. */
export async function prepareWrites(service: OwnService) {
  const { api } = service;
  const [{ organization_id } = { organization_id: '' }] = (await api.user.get({})).organizations;
  let named = 0;
  const project = async (rows = 0): Promise<string> => {
    const { project_id } = await api.projects.create({ organization_id, project_name: `own-${++named}`, unique_id_field: 'id' });
    if (rows > 0) await api.data.addArrow({ body: shardOf(project_id, rows) });
    return project_id;
  };
  const many = (count: number, make: (at: number) => Promise<string>): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, (_, at) => make(at)));
  const mapped = await project(200);
  const { projection_id } = await api.indices.create(random(mapped, 'base'));
  await unlocked(service, mapped);
  const removals: string[] = [];
  const indices = await project(30);
  for (let at = 0; at < 6; at++) {
    const { job_id } = await api.indices.create(random(indices, `old-${at}`));
    await unlocked(service, indices);
    removals.push((await api.indices.job({ job_id })).index_id);
  }
  return {
    organization_id,
    mapped,
    map: projection_id!,
    indices,
    removals,
    empty: await project(),
    files: await project(),
    described: await many(8, () => project()),
    removed: await many(8, () => project()),
    blobs: await project(),
    made: await prepareKeys(service),
    maps: await prepareMaps(service, project),
    people: await preparePeople(service),
    agents: await prepareAgents(service),
    work: await prepareWork(service),
  };
}

export type Prepared = Awaited<ReturnType<typeof prepareWrites>>;

/** Writers of every writing operation; each goes on until the service is gone. */
export function writers(service: OwnService, own: Prepared, { write }: Writer): (() => Promise<void>)[] {
  const { api, control } = service;
  const { organization_id } = own;
  const indexNamed = async (project_id: string, name: string): Promise<number> =>
    (await api.projects.get({ project_id })).atlas_indices.filter((each) => each.index_name === name).length;

  return [
    forEver(async (at) => {
      await write(
        'maps.organizations.create',
        (options) => api.organizations.create({ nickname: `team-${at}` }, options),
        async () => once((await api.user.get({})).organizations.filter((each) => each.nickname === `team-${at}`).length),
      );
      await write(
        'maps.projects.create',
        (options) => api.projects.create({ organization_id, project_name: `made-${at}` }, options),
        async () => once((await api.projects.list({})).projects.filter((each) => each.project_name === `made-${at}`).length),
      );
    }),
    forEver(async (at) => {
      const id = own.described[at]!;
      await write(
        'maps.projects.update',
        (options) => api.projects.update({ project_id: id, id, description: 'said', project_name: `named-${at}` }, options),
        async () => {
          const { description, project_name } = await api.projects.get({ project_id: id });
          return share(Number(description === 'said') + Number(project_name === `named-${at}`), 2);
        },
      );
      const project_id = own.removed[at]!;
      await write(
        'maps.projects.remove',
        (options) => api.projects.remove({ project_id }, options),
        async () => once((await api.projects.list({})).projects.every((each) => each.id !== project_id) ? 1 : 0),
      );
    }, own.described.length),
    forEver(async (at) => {
      const from = at * 50;
      await write(
        'maps.data.addArrow',
        (options) => api.data.addArrow({ body: shardOf(own.empty, 50, { from }) }, options),
        async () => share(await rowsThere(service, own.empty, rowsOf(from, 50)), 50),
      );
    }),
    // One dataset, one after the other: rows are deleted, tagged, and the map is brought up to them.
    forEver(async (at) => {
      const ids = rowsOf(at * 5, 5);
      const tag = { projection_id: own.map, tag_name: `tag-${at}`, ids: rowsOf(100, 10), operation: 'add' as const, id_field: 'id' };
      await write(
        'maps.tags.update',
        (options) => api.tags.update(tag, options),
        async () => {
          // There is no read for the points of a tag: how many a second sending changes shows it.
          let requestId = '';
          await api.tags.update(tag, { onAnswer: (answer) => (requestId = answer.requestId) });
          const row = (await control.journal(own.mapped)).rows.find((each) => each.request_id === requestId)!;
          return row.changed === 0 ? 'whole' : row.changed === tag.ids.length + 1 ? 'none' : { half: `${row.changed} points were missing` };
        },
      );
      await write(
        'maps.data.delete',
        (options) => api.data.delete({ project_id: own.mapped, datum_ids: ids }, options),
        async () => {
          await api.indices.update({ project_id: own.mapped });
          await unlocked(service, own.mapped);
          return share(ids.length - (await rowsThere(service, own.mapped, ids)), ids.length);
        },
      );
      await write(
        'maps.indices.update',
        (options) => api.indices.update({ project_id: own.mapped }, options),
        async () => {
          await unlocked(service, own.mapped);
          return share(ids.length - (await rowsThere(service, own.mapped, ids)), ids.length);
        },
      );
      await unlocked(service, own.mapped);
    }, 18),
    forEver(async (at) => {
      // First, because it waits for no build.
      const index_id = own.removals[at];
      if (index_id !== undefined)
        await write(
          'maps.indices.remove',
          (options) => api.indices.remove({ project_id: own.indices, index_id }, options),
          async () =>
            (await api.projects.get({ project_id: own.indices })).atlas_indices.some(({ id }) => id === index_id) ? 'none' : 'whole',
        );
      await write(
        'maps.indices.create',
        (options) => api.indices.create(random(own.indices, `new-${at}`), options),
        async () => {
          await unlocked(service, own.indices);
          return once(await indexNamed(own.indices, `new-${at}`));
        },
      );
      await unlocked(service, own.indices);
    }),
    forEver(async (at) => {
      const text = `blob ${at}`;
      await write(
        'maps.blobs.add',
        (options) => api.blobs.add({ dataset_id: own.blobs, blobs: [new Blob([text])] }, options),
        // No operation reads a blob.
        async () =>
          existsSync(join(service.data, 'blobs', own.blobs, createHash('sha256').update(text).digest('hex'))) ? 'whole' : 'none',
      );
    }),
    ...keyWriters(service, own, { write }),
    ...mapWriters(service, own.maps, { write }),
    ...peopleWriters(service, own.people, { write }),
    ...agentWriters(service, own.agents, { write }),
    ...workWriters(service, own.work, { write }),
    forEver(async (at) => upload(service, own.files, write, 1_000_000 + at * 100)),
  ];
}

const partSize = 16_384;

/** One file of 100 rows in parts. Its start and its parts are found by going on with them after the kill: nothing is sent twice. */
async function upload({ api }: OwnService, dataset_id: string, write: Writer['write'], from: number): Promise<void> {
  const ids = rowsOf(from, 100);
  const bytes = Buffer.concat([shardOf(dataset_id, 100, { from })]);
  const service = { api } as OwnService;
  type Started = Awaited<ReturnType<typeof api.uploads.start>>;
  const known: { started?: Started } = {};
  let finished: Promise<Found> | undefined;
  const etags = new Map<number, string>();

  const put = async (part: number, url: string): Promise<string> => {
    const answer = await fetch(url, { method: 'PUT', body: bytes.subarray((part - 1) * partSize, part * partSize) });
    if (!answer.ok) throw new Error(`part ${part}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
    return answer.headers.get('etag')!;
  };
  const complete = ({ upload_id, object_id }: Started, options?: CallOptions) =>
    api.uploads.complete(
      {
        dataset_id,
        upload_id,
        object_id,
        file_type: 'feather',
        part_etags: [...etags].toSorted(([a], [b]) => a - b).map(([part_number, etag]) => ({ part_number, etag })),
      },
      options,
    );
  const rows = async (): Promise<Found> => share(await rowsThere(service, dataset_id, ids), ids.length);
  /** Sends what was not acknowledged and completes: works only if everything acknowledged is there. */
  const goOn = async (): Promise<Found> => {
    const { started } = known;
    if (!started) return 'none';
    if ((await rows()) === 'whole') return 'whole';
    for (const { part_number, url } of started.part_urls) if (!etags.has(part_number)) etags.set(part_number, await put(part_number, url));
    await complete(started);
    return rows();
  };
  const found = (): Promise<Found> =>
    (finished ??= goOn().catch((error: unknown): Found => (error instanceof Error ? { half: error.message } : { half: String(error) })));

  const begun = await write(
    'maps.uploads.start',
    (options) => api.uploads.start({ dataset_id, file_type: 'feather', file_size: bytes.byteLength, part_size: partSize }, options),
    found,
  );
  known.started = begun;
  for (const { part_number, url } of begun.part_urls) {
    await write(
      partOperation,
      async () => {
        const etag = await put(part_number, url);
        etags.set(part_number, etag);
      },
      async () => (etags.has(part_number) ? found() : 'none'),
    );
  }
  await write('maps.uploads.complete', (options) => complete(begun, options), rows);
}
