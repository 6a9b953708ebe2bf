import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EmbedderOptions } from '../../service/engine/embedding/provider.ts';
import { startEmbeddingEndpoint } from './embedding-endpoint.ts';
import { startService } from './running.ts';
import type { Running } from './running.ts';
import { addRows, built, createProject, indexOrder, shardOf } from './world.ts';
import type { Api } from './world.ts';

let dataDir: string;
let last: Running | undefined;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'portolan-durability-'));
});
afterEach(async () => {
  await last?.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

const start = async (embedding?: EmbedderOptions): Promise<Running> => (last = await startService(dataDir, embedding));

const journalRows = async (api: Api) => (await api.get('/__control/journal')).body;

describe('after kill -9', () => {
  test.each([1, 2, 3])('what was answered is there, and the journal says what is there: uploads, round %i', async (round) => {
    let service = await start();
    const { project_id } = await createProject(service);
    const answered: number[] = [];
    let from = 0;
    const upload = async (): Promise<void> => {
      for (;;) {
        const mine = from++;
        const answer = await service.api
          .post('/v1/project/data/add/arrow', shardOf(project_id, 500, { from: mine * 500 }))
          .catch(() => undefined);
        if (!answer) return;
        if (answer.status === 200) answered.push(mine);
        // In the middle of the other uploads, at a point that differs by round.
        if (answered.length === round * 3) await service.kill();
      }
    };
    await Promise.all([upload(), upload(), upload()]);
    service = await start();
    const { total_datums_in_project: total } = (await service.api.get(`/v1/project/${project_id}`)).body;
    for (const shard of answered) {
      const datum_ids = Array.from({ length: 500 }, (_, at) => `row-${shard * 500 + at}`);
      expect((await service.api.post('/v1/project/data/get', { project_id, datum_ids })).status).toBe(200);
    }
    const { rows } = await journalRows(service.api);
    const added = rows
      .filter(({ operation }: { operation: string }) => operation === 'maps.data.addArrow')
      .reduce((sum: number, { changed }: { changed: number }) => sum + changed, 0);
    expect(added).toBe(total);
    expect(answered.length).toBeGreaterThanOrEqual(round * 3);
    // Sent again, all of it: only what was missing is added, and nothing twice.
    for (let shard = 0; shard < from; shard += 1)
      expect((await service.api.post('/v1/project/data/add/arrow', shardOf(project_id, 500, { from: shard * 500 }))).status).toBe(200);
    expect((await service.api.get(`/v1/project/${project_id}`)).body.total_datums_in_project).toBe(from * 500);
    expect((await journalRows(service.api)).summary.repeated).toBe(0);
  });

  test.each(['before', 'after'] as const)('while a creation is held %s its effect, journal and projects agree', async (hold) => {
    let service = await start();
    const { body } = await service.api.post('/__control/faults', { operation: 'maps.projects.create', do: { hold } });
    const lost = createProject(service).catch((error: Error) => error);
    await service.api.post('/__control/holds/wait', { id: body.id });
    await service.kill();
    expect(await lost).toBeInstanceOf(Error);
    service = await start();
    const projects = (await service.api.get('/v1/project/')).body.projects;
    expect(projects).toHaveLength(hold === 'after' ? 1 : 0);
    expect((await journalRows(service.api)).rows).toHaveLength(projects.length);
  });

  test('an index build goes on from its committed stage and ends once', async () => {
    await using endpoint = await startEmbeddingEndpoint();
    const rows = 3_000;
    let service = await start(endpoint.embedding);
    const { project_id } = await createProject(service);
    await addRows(service.api, project_id, rows);
    endpoint.holdAfter(2);
    const { body } = await service.api.post('/v1/project/index/create', indexOrder(project_id));
    const { index_id } = (await service.api.get(`/v1/project/index/job/${body.job_id}`)).body;
    const progress = async () => (await service.api.get(`/v1/project/index/job/progress/${index_id}`)).body;
    const left = async () => (await service.api.get(`/v1/project/index/job/${body.job_id}`)).body.total_atoms_remaining_to_embed;
    await expect.poll(left).toBeLessThan(rows);
    await service.kill();

    service = await start(endpoint.embedding);
    expect(await left()).toBeLessThan(rows);
    expect((await progress()).index_build_stage).not.toBe('Completed');
    expect((await addRows(service.api, project_id, 1, { from: rows })).status).toBe(409);
    endpoint.release();
    expect(await built(service.api, body.job_id)).toBe('Completed');
    const map = body.projection_id;
    const selection = { method: 'composition', conjunctor: 'ALL', filters: [] };
    expect((await service.api.post('/v1/query', { projection_id: map, selection })).body).toHaveLength(rows);
    const { data } = (await service.api.post('/v1/query/topk', { projection_id: map, k: 1_000, fields: ['id'], query: 'bread' })).body;
    expect(new Set(data.map(({ id }: { id: string }) => id)).size).toBe(1_000);
    expect((await service.api.get(`/v1/project/${project_id}`)).body.atlas_indices).toHaveLength(1);
    expect((await addRows(service.api, project_id, 1, { from: rows })).status).toBe(200);
  });
});

describe('the process', () => {
  test('ends in order on SIGTERM and starts again on its data', async () => {
    const service = await start();
    await createProject(service);
    expect(await service.term()).toBe(0);
    expect((await (await start()).api.get('/v1/project/')).body.projects).toHaveLength(1);
  });

  test('ends when the channel of its parent closes', async () => {
    const service = await start();
    await service.disconnect();
    expect(() => process.kill(service.ready.pid, 0)).toThrow('ESRCH');
  });
});
