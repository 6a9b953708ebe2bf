import { Field, FixedSizeList, Float32, Utf8 } from 'apache-arrow';
import { expect, test } from 'vitest';
import { made } from './made-resources.ts';
import { addRows, arrowFile, createProject, createWorld, type Api, type World } from './world.ts';

const onRows = { DATASET_CHECKPOINT: 'rows' };
const ofTexts = { of: 'EMBEDDING_SET_INFERRED', on: onRows, with: { source_column: 'text', embedding_model: 'svc-embed-text-v1' } };

/** A checkpoint of all rows, after which some are deleted and their deletion is committed; its id. */
async function checkpointBefore(world: World, project_id: string, datum_ids: readonly string[]): Promise<string> {
  const { rows } = await made(world, project_id, { rows: { of: 'DATASET_CHECKPOINT' } });
  expect(rows).toMatchObject({ status: 'COMPLETED', result: { rows: 30 } });
  await world.api.post('/v1/project/data/delete', { project_id, datum_ids });
  await committed(world.api, project_id);
  return rows!.id;
}

async function committed(api: Api, project_id: string): Promise<void> {
  await api.post('/v1/project/update_indices', { project_id });
  await expect.poll(async () => (await api.get(`/v1/project/${project_id}`)).body.insert_update_delete_lock).toBe(false);
}

const refused = { status: 'FAILED', error: '28 rows are there, and the checkpoint has 30: rows went since; ask for a new checkpoint' };

test('texts of an older checkpoint are embedded as long as all of its rows are there, and those of a new one always', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  await addRows(world.api, project_id, 30);
  const older = await checkpointBefore(world, project_id, ['row-3', 'row-29']);
  const { vectors, rows, anew } = await made(world, project_id, {
    vectors: { ...ofTexts, on: { DATASET_CHECKPOINT: older } },
    rows: { of: 'DATASET_CHECKPOINT' },
    anew: ofTexts,
  });
  expect(vectors).toMatchObject(refused);
  expect([rows!.result.rows, anew!.status, anew!.result.rows]).toEqual([28, 'COMPLETED', 28]);
  // Rows that were added since are none of it.
  await addRows(world.api, project_id, 5, { from: 30 });
  const { again } = await made(world, project_id, { again: { ...ofTexts, on: { DATASET_CHECKPOINT: rows!.id } } });
  expect(again).toMatchObject({ status: 'COMPLETED', result: { rows: 28 } });
});

test('own vectors of an older checkpoint are taken as long as all of its rows are there', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  const type = new FixedSizeList(2, new Field('item', new Float32(), true));
  const rows = Array.from({ length: 30 }, (_, row) => row);
  const file = arrowFile(
    { project_id },
    {
      id: { type: new Utf8(), values: rows.map((row) => `row-${row}`) },
      _embeddings: { type, values: rows.map((row) => [row, 1]) },
    },
  );
  expect((await world.api.post('/v1/project/data/add/arrow', file)).status).toBe(200);
  const older = await checkpointBefore(world, project_id, ['row-0', 'row-7']);
  const { vectors, anew } = await made(world, project_id, {
    vectors: { of: 'EMBEDDING_SET', on: { DATASET_CHECKPOINT: older } },
    rows: { of: 'DATASET_CHECKPOINT' },
    anew: { of: 'EMBEDDING_SET', on: onRows },
  });
  expect(vectors).toMatchObject(refused);
  expect(anew).toMatchObject({ status: 'COMPLETED', result: { rows: 28 } });
});
