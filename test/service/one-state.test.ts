import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Field, FixedSizeList, Float32, Utf8 } from 'apache-arrow';
import { expect, test } from 'vitest';
import { openRecords } from '../../service/core/records/database.ts';
import { DIMENSIONS } from '../../service/engine/embedding/layout.ts';
import { positionsTable } from '../../service/engine/datasets/schema.ts';
import { createDatasets, type Datasets } from '../../service/engine/datasets/store.ts';
import { createMapData } from '../../service/pages/map-data.ts';
import type { PagesState } from '../../service/pages/state.ts';
import { startEmbeddingEndpoint } from './embedding-endpoint.ts';
import { arrowFile, built, createMap, createProject, createWorld, indexOrder } from './world.ts';

/** The same datasets, in which a statement is committed right before the first read. */
const changedBeforeRead = (datasets: Datasets, sql: string): Datasets => {
  let changed = false;
  return {
    ...datasets,
    use: (projectId, work) =>
      datasets.use(projectId, (dataset) =>
        work({
          ...dataset,
          async read(reading) {
            if (!changed) await dataset.write((connection) => connection.run(sql));
            changed = true;
            return dataset.read(reading);
          },
        }),
      ),
  };
};

test.each([
  ['loses', 59, (positions: string) => `DELETE FROM ${positions} WHERE "_row" = 0; UPDATE indices SET rows = rows - 1`],
  [
    'gains',
    61,
    (positions: string) =>
      `INSERT INTO ${positions} SELECT * REPLACE (60 AS "_row") FROM ${positions} WHERE "_row" = 0; UPDATE indices SET rows = rows + 1`,
  ],
])('a map that %s a point while its page asks for them is shown whole, as it is by then', async (_, points, change) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'portolan-state-'));
  const world = await createWorld({ dataDir });
  const { map } = await createMap(world, 60);
  await world.close();
  const records = openRecords(join(dataDir, 'records.sqlite'));
  const datasets = createDatasets(join(dataDir, 'datasets'));
  try {
    const { index_id } = records.get<{ index_id: string }>('SELECT index_id FROM builds')!;
    const { userId } = records.get<{ userId: string }>('SELECT creator AS "userId" FROM projects')!;
    const changing = changedBeforeRead(datasets, change(positionsTable(index_id)));
    // All that the points of a map need of what pages are made of.
    const data = createMapData({ records, datasets: changing, userId } as PagesState);
    const shown = await data.points(map);
    expect(shown.byteLength).toBe(points * 8);
    expect(shown).toEqual(await data.points(map));
  } finally {
    await datasets.close();
    records.close();
    rmSync(dataDir, { recursive: true });
  }
});

test('a search whose text is being embedded while the map is updated answers from the map as it is by then', async () => {
  await using endpoint = await startEmbeddingEndpoint();
  await using world = await createWorld({ embedding: endpoint.embedding });
  const { project_id } = await createProject(world, 'own');
  // As wide as the vectors of texts, so that a text can be searched by while an update of the map embeds nothing.
  const type = new FixedSizeList(DIMENSIONS, new Field('item', new Float32(), true));
  const add = async (rows: number[]): Promise<void> => {
    const vectors = rows.map((row) => Array.from({ length: DIMENSIONS }, (_, at) => Math.sin(row * DIMENSIONS + at)));
    const columns = { id: { type: new Utf8(), values: rows.map(String) }, _embeddings: { type, values: vectors } };
    expect((await world.api.post('/v1/project/data/add/arrow', arrowFile({ project_id }, columns))).status).toBe(200);
  };
  const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
  await add(ids(0, 30));
  const { body } = await world.api.post('/v1/project/index/create', indexOrder(project_id, { indexed_field: null, model: null }));
  expect(await built(world.api, body.job_id)).toBe('Completed');

  endpoint.holdAfter(0);
  const searching = world.api.post('/v1/query/topk', { projection_id: body.projection_id, k: 50, fields: ['id'], query: 'held' });
  await endpoint.held();
  await add([30]);
  await world.api.post('/v1/project/data/delete', { project_id, datum_ids: ['0'] });
  expect((await world.api.post('/v1/project/update_indices', { project_id })).status).toBe(200);
  expect(await built(world.api, body.job_id)).toBe('Completed');
  endpoint.release();
  const found = (await searching).body.data.map(({ id }: { id: string }) => Number(id));
  expect(found.toSorted((a: number, b: number) => a - b)).toEqual(ids(1, 31));
});
