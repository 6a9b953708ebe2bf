import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEmbeddingEndpoint } from './embedding-endpoint.ts';
import { startService } from './running.ts';
import type { Running } from './running.ts';
import { addRows, createProject, createWorld, indexOrder, type World } from './world.ts';

let dataDir: string;
let last: Running | undefined;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'portolan-removals-'));
});
afterEach(async () => {
  await last?.kill();
  rmSync(dataDir, { recursive: true, force: true });
});
const start = async (): Promise<Running> => (last = await startService(dataDir));

/** Datasets that are removed and not yet fully deleted, as the records of the service say. */
const left = (): string[] => {
  using db = new DatabaseSync(join(dataDir, 'records.sqlite'), { readOnly: true });
  return db
    .prepare('SELECT id FROM projects WHERE removed_at IS NOT NULL AND deleted_at IS NULL')
    .all()
    .map(({ id }) => String(id));
};
const addBlob = async ({ ready }: Running, project_id: string): Promise<string> => {
  const form = new FormData();
  form.append('dataset_id', project_id);
  form.append('blobs', new Blob(['a']), 'blobs');
  const headers = { authorization: `Bearer ${ready.adminKeys.maps}` };
  expect((await fetch(`${ready.url}/v1/project/data/add/blobs`, { method: 'POST', headers, body: form })).status).toBe(200);
  return join(dataDir, 'blobs', project_id);
};

test('a removal that a kill cut short goes on when the service starts again', async () => {
  const service = await start();
  const { project_id } = await createProject(service);
  await addRows(service.api, project_id, 30);
  const blobs = await addBlob(service, project_id);
  const { body: fault } = await service.api.post('/__control/faults', { operation: 'removal.marked', do: { hold: 'before' } });
  const removing = service.api.post('/v1/project/remove', { project_id }).catch(() => undefined);
  expect((await service.api.post('/__control/holds/wait', { id: fault.id })).body).toEqual({ occupied: true });
  expect((await service.api.get(`/v1/project/${project_id}`)).status).toBe(404);
  await service.kill();
  await removing;
  expect([existsSync(blobs), left()]).toEqual([true, [project_id]]);
  await start();
  await expect.poll(left).toEqual([]);
  expect(existsSync(blobs)).toBe(false);
});

test('a removal also finishes what is left of others', async () => {
  const before = await start();
  const { project_id: broken } = await createProject(before, 'broken');
  const { project_id: other } = await createProject(before, 'other');
  await addRows(before.api, broken, 30);
  await before.term();
  const file = join(dataDir, 'datasets', `${broken}.duckdb`);
  copyFileSync(file, `${file}.good`);
  writeFileSync(file, Buffer.alloc(65_536, 1));
  const service = await start();
  expect((await service.api.post('/v1/project/remove', { project_id: broken })).status).toBe(500);
  expect(left()).toEqual([broken]);
  copyFileSync(`${file}.good`, file);
  expect((await service.api.post('/v1/project/remove', { project_id: other })).status).toBe(200);
  await expect.poll(left).toEqual([]);
});

const index = ({ api }: World, project_id: string) => api.post('/v1/project/index/create', indexOrder(project_id));
const resources = ({ api }: World, dataset_id: string) =>
  api.post(`/v1/project/${dataset_id}/resources`, [
    { resource_type: 'DATASET_CHECKPOINT', ref: 'rows', dataset_id, dependencies: {} },
    {
      resource_type: 'EMBEDDING_SET_INFERRED',
      ref: 'vectors',
      dataset_id,
      dependencies: { DATASET_CHECKPOINT: 'rows' },
      source_column: 'text',
      embedding_model: 'svc-embed-text-v1',
    },
  ]);

test.each([
  ['an index', index],
  ['resources', resources],
])('a project is cleared when what builds %s of it has ended, and not before', async (_, begin) => {
  await using endpoint = await startEmbeddingEndpoint();
  await using world = await createWorld({ embedding: endpoint.embedding });
  const { project_id } = await createProject(world, 'built');
  await addRows(world.api, project_id, 60);
  endpoint.holdAfter(0);
  expect((await begin(world, project_id)).status).toBe(200);
  await endpoint.held();
  const seen: string[] = [];
  const remove = async (project: string, name: string): Promise<void> => {
    expect((await world.api.post('/v1/project/remove', { project_id: project })).status).toBe(200);
    seen.push(name);
  };
  const removing = remove(project_id, 'the one that is built');
  // Others, which have the same way to go and begin it later, are gone first.
  for (const name of ['second', 'third']) {
    const other = await createProject(world, name);
    await addRows(world.api, other.project_id, 60);
    await remove(other.project_id, name);
  }
  endpoint.release();
  await removing;
  expect(seen).toEqual(['second', 'third', 'the one that is built']);
});
