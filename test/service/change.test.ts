import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Int32, Utf8 } from 'apache-arrow';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmbeddingEndpoint } from './embedding-endpoint.ts';
import { startService } from './running.ts';
import { addRows, arrowFile, built, createMap, createProject, createWorld, indexOrder } from './world.ts';
import type { Api, World } from './world.ts';

const everything = { method: 'composition', conjunctor: 'ALL', filters: [] };
const random = { indexed_field: null, model: null, projection_hyperparameters: '{"model":"random"}' };

const remove = (api: Api, project_id: string, datum_ids: string[]) => api.post('/v1/project/data/delete', { project_id, datum_ids });
const select = async (api: Api, projection_id: string, selection: object = everything): Promise<string[]> =>
  (await api.post('/v1/query', { projection_id, selection })).body;
const projectOf = async (api: Api, project_id: string) => (await api.get(`/v1/project/${project_id}`)).body;
const journal = async (api: Api) => (await api.get('/__control/journal')).body;
const tag = async (api: Api, projection_id: string, ids: string[], operation = 'add') =>
  (await api.post('/v1/query/update/tag/ids', { projection_id, tag_name: 't', ids, operation, id_field: 'id' })).body
    .points_tagged as number;

/** Updates the indices and waits until every map is ready; the answer's status. */
const update = async (api: Api, project_id: string): Promise<number> => {
  const { status } = await api.post('/v1/project/update_indices', { project_id });
  for (const index of (await projectOf(api, project_id)).atlas_indices) {
    await expect
      .poll(async () => (await api.get(`/v1/project/index/job/progress/${index.id}`)).body.index_build_stage, { interval: 5 })
      .toBe('Completed');
  }
  return status;
};

/** Positions and tiles of every point, by id. */
const placesOf = async (world: Pick<World, 'service' | 'api'>, map: string): Promise<Map<string, string>> => {
  const { rows } = (await world.api.get(`/pages/maps/${map}`)).body;
  const xy = new Float32Array((await world.api.get(`/pages/maps/${map}/points`)).bytes.slice().buffer);
  const ids = await select(world.api, map);
  expect(ids).toHaveLength(rows);
  return new Map(ids.map((id, at) => [id, `${xy[at]} ${xy[rows + at]}`]));
};

describe('a deletion', () => {
  test('shows nowhere until an update, and then everywhere', async () => {
    await using world = await createWorld();
    const { api } = world;
    const { project_id, map } = await createMap(world, 60);
    await tag(api, map, ['row-1', 'row-2', 'row-50']);
    const before = (await api.get(`/v1/project/${project_id}/last_modified`)).body;
    expect((await remove(api, project_id, ['row-1', 'row-7', 'row-7', 'unknown'])).body).toEqual({ result: 'ok' });
    const after = (await api.get(`/v1/project/${project_id}/last_modified`)).body;
    expect(after.checkpoint).toBe(before.checkpoint + 1);
    expect(after.latest_addition_timestamp).toBeGreaterThan(before.latest_addition_timestamp);

    const rows = async (datum_ids: string[]) => (await api.post('/v1/project/data/get', { project_id, datum_ids })).status;
    expect((await projectOf(api, project_id)).total_datums_in_project).toBe(60);
    expect([await rows(['row-1']), (await select(api, map)).length, await tag(api, map, ['row-1'])]).toEqual([200, 60, 1]);

    expect(await update(api, project_id)).toBe(200);
    expect((await projectOf(api, project_id)).total_datums_in_project).toBe(58);
    expect([await rows(['row-1']), await rows(['row-2'])]).toEqual([404, 200]);
    expect(await select(api, map)).not.toContain('row-1');
    expect(await tag(api, map, ['row-1', 'row-2', 'row-7'], 'remove')).toBe(1);
    const { data } = (await api.post('/v1/query/topk', { projection_id: map, k: 100, fields: ['id'], query: 'bread' })).body;
    expect(data).toHaveLength(58);
    // Deleting the same again changes nothing, and is no repeat.
    await remove(api, project_id, ['row-1', 'row-7']);
    expect((await api.get(`/v1/project/${project_id}/last_modified`)).body.checkpoint).toBe(after.checkpoint);
    const { rows: written, summary } = await journal(api);
    const deletions = written.filter(({ operation }: { operation: string }) => operation === 'maps.data.delete');
    expect(deletions.map(({ changed }: { changed: number }) => changed)).toEqual([2, 0]);
    expect(summary.repeated).toBe(0);
  });

  test('frees its ids: the new row is read at once, maps show the old one until the update', async () => {
    await using world = await createWorld();
    const { api } = world;
    const { project_id, map } = await createMap(world, 60);
    await tag(api, map, ['row-3', 'row-4']);
    const changed = (ids: string[], text: string, ignore = {}) =>
      api.post(
        '/v1/project/data/add/arrow',
        arrowFile(
          { project_id, ...ignore },
          {
            id: { type: new Utf8(), values: ids },
            text: { type: new Utf8(), values: ids.map(() => text) },
            year: { type: new Int32(), values: ids.map(() => 7) },
            score: { type: new Int32(), values: ids.map(() => 1) },
            when: { type: new Int32(), values: ids.map(() => 0) },
          },
        ),
      );
    expect((await changed(['row-3'], 'new')).status).toBe(409);
    await remove(api, project_id, ['row-3']);
    expect((await changed(['row-3'], 'zebra zebra')).status).toBe(200);
    expect((await changed(['row-3'], 'again')).status).toBe(409);
    const year = async () => (await api.post('/v1/project/data/get', { project_id, datum_ids: ['row-3'] })).body.datums[0].year;
    expect([await year(), (await projectOf(api, project_id)).total_datums_in_project]).toEqual([7, 60]);
    const old = { ...everything, filters: [{ method: 'range', field: 'year', range: [1903, 1903] }] };
    const fresh = { ...everything, filters: [{ method: 'range', field: 'year', range: [7, 7] }] };
    expect([await select(api, map, old), await select(api, map, fresh)]).toEqual([['row-3'], []]);

    // Replaced twice before the update.
    await remove(api, project_id, ['row-3']);
    expect((await changed(['row-3', 'row-60'], 'zebra')).status).toBe(200);
    expect((await projectOf(api, project_id)).total_datums_in_project).toBe(61);
    await update(api, project_id);
    expect([await select(api, map, old), (await select(api, map, fresh)).sort()]).toEqual([[], ['row-3', 'row-60']]);
    const { data } = (await api.post('/v1/query/topk', { projection_id: map, k: 2, fields: ['id'], query: 'zebra' })).body;
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['row-3', 'row-60']);
    // Its new row has no tag; that of the row beside it stayed.
    expect(await tag(api, map, ['row-4'])).toBe(1);
    const tags = (await api.get(`/pages/maps/${map}`)).body.tags;
    expect(tags).toMatchObject([{ name: 't', count: 1 }]);
    expect((await journal(api)).summary.repeated).toBe(0);
  });

  test('is refused while an index is built, and leaves all maps when another one is built', async () => {
    await using endpoint = await startEmbeddingEndpoint();
    await using world = await createWorld({ embedding: endpoint.embedding });
    const { api } = world;
    const { project_id, map } = await createMap(world, 2_000, random);
    await remove(api, project_id, ['row-0', 'row-1999']);
    endpoint.holdAfter(0);
    const { body } = await api.post('/v1/project/index/create', indexOrder(project_id, { index_name: 'second' }));
    expect(await remove(api, project_id, ['row-5'])).toMatchObject({ status: 409, body: { detail: 'Project transaction lock is held' } });
    endpoint.release();
    expect(await built(api, body.job_id)).toBe('Completed');
    expect((await select(api, map)).length).toBe(1_998);
    expect((await select(api, body.projection_id)).length).toBe(1_998);
    const { atlas_indices, maps } = await projectOf(api, project_id);
    const { latest_addition_timestamp: at } = (await api.get(`/v1/project/${project_id}/last_modified`)).body;
    for (const index of atlas_indices) expect(Date.parse(index.projections[0].updated_timestamp) / 1_000).toBeGreaterThanOrEqual(at);
    expect(maps.map(({ total_data_points }: { total_data_points: number }) => total_data_points)).toEqual([1_998, 1_998]);
    expect(
      (
        await remove(
          api,
          project_id,
          Array.from({ length: 1_998 }, (_, at) => `row-${at}`),
        )
      ).status,
    ).toBe(200);
    const few = await api.post('/v1/project/index/create', indexOrder(project_id, { index_name: 'third' }));
    expect([few.status, few.body.detail]).toEqual([400, expect.stringContaining('only 1 datums')]);
  });
});

describe('an update', () => {
  test('places additions on the axes of the map, keeps ids, places and tags, and does nothing twice', async () => {
    await using endpoint = await startEmbeddingEndpoint();
    await using world = await createWorld({ embedding: endpoint.embedding });
    const { api } = world;
    const { project_id, map } = await createMap(world, 300);
    const places = await placesOf(world, map);
    const [index] = (await projectOf(api, project_id)).atlas_indices;
    await tag(api, map, ['row-9', 'row-11']);
    await remove(api, project_id, ['row-10']);
    await addRows(api, project_id, 50, { from: 300 });
    const { latest_addition_timestamp: at } = (await api.get(`/v1/project/${project_id}/last_modified`)).body;
    expect(Date.parse(index.projections[0].updated_timestamp) / 1_000).toBeLessThan(at);

    endpoint.holdAfter(0);
    await api.post('/v1/project/update_indices', { project_id });
    expect(await projectOf(api, project_id)).toMatchObject({
      insert_update_delete_lock: true,
      maps: [{ ready: false, total_data_points: null }],
    });
    expect((await addRows(api, project_id, 1, { from: 350 })).status).toBe(409);
    // Sent again while it runs: there is nothing new to do.
    expect((await api.post('/v1/project/update_indices', { project_id })).status).toBe(200);
    endpoint.release();
    expect(await update(api, project_id)).toBe(200);

    const project = await projectOf(api, project_id);
    expect(project).toMatchObject({
      insert_update_delete_lock: false,
      total_datums_in_project: 349,
      maps: [{ ready: true, total_data_points: 349 }],
    });
    expect(project.atlas_indices).toHaveLength(1);
    expect(project.atlas_indices[0]).toMatchObject({ id: index.id, projections: [{ id: map }] });
    expect(Date.parse(project.atlas_indices[0].projections[0].updated_timestamp) / 1_000).toBeGreaterThanOrEqual(at);
    const now = await placesOf(world, map);
    expect(now.size).toBe(349);
    for (const [id, place] of places) if (id !== 'row-10') expect(now.get(id)).toBe(place);
    // A text that is there already lies where it lies.
    const tagged = new Uint32Array(
      (await api.get(`/pages/maps/${map}/tagged?tag=${(await api.get(`/pages/maps/${map}`)).body.tags[0].id}`)).bytes.slice().buffer,
    );
    expect([...tagged]).toEqual([9, 10]);
    for (const point of [9, 10, 348])
      expect((await api.get(`/pages/maps/${map}/row?row=${point}`)).body.id).toBe(`row-${point < 10 ? point : point + 1}`);
    // The tiles are dealt anew: every point of the root is there, without a hole.
    const qids = Array.from({ length: 349 }, (_, rix) => `0-${rix}`);
    expect((await api.post(`/v1/project/projection/${map}/datums`, { qids, response_type: 'json' })).body).toHaveLength(349);

    expect(await update(api, project_id)).toBe(200);
    const updates = (await journal(api)).rows.filter(({ operation }: { operation: string }) => operation === 'maps.indices.update');
    expect(updates.map(({ changed }: { changed: number }) => changed)).toEqual([2, 0, 0, 0]);
    expect((await journal(api)).summary.repeated).toBe(0);
  });

  test('tries again an index whose update failed, and that is no repeat', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'portolan-change-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const well = await createWorld({ dataDir });
    const { project_id, map } = await createMap(well, 40);
    await well.close();
    // Nothing listens there: embedding fails.
    const ill = await createWorld({
      dataDir,
      embedding: { provider: 'openai', url: 'http://127.0.0.1:9/v1', model: 'none', retries: 0 } as never,
    });
    await addRows(ill.api, project_id, 3, { from: 40 });
    await ill.api.post('/v1/project/update_indices', { project_id });
    await expect.poll(async () => (await projectOf(ill.api, project_id)).maps[0].error, { interval: 5 }).toMatch(/./);
    expect(await projectOf(ill.api, project_id)).toMatchObject({ insert_update_delete_lock: false, maps: [{ ready: false }] });
    await ill.close();
    await using world = await createWorld({ dataDir });
    expect(await update(world.api, project_id)).toBe(200);
    expect(await projectOf(world.api, project_id)).toMatchObject({ maps: [{ ready: true, error: null, total_data_points: 43 }] });
    expect(await select(world.api, map)).toHaveLength(43);
    expect((await journal(world.api)).summary.repeated).toBe(0);
  });

  test('embeds what a build that failed half-way has left, also where deletions leave as few rows as it had embedded', async () => {
    await using endpoint = await startEmbeddingEndpoint();
    await using world = await createWorld({ embedding: endpoint.embedding });
    const { api } = world;
    const { project_id } = await createProject(world);
    await addRows(api, project_id, 200);
    endpoint.holdAfter(1);
    const { body } = await api.post('/v1/project/index/create', indexOrder(project_id));
    await endpoint.held();
    endpoint.refuse();
    endpoint.release();
    expect(await built(api, body.job_id)).toBe('Failed');
    const left = async () => (await api.get(`/v1/project/index/job/${body.job_id}`)).body.total_atoms_remaining_to_embed;
    // The first 32 are embedded; of those 2 are left.
    const gone = Array.from({ length: 200 }, (_, at) => at).filter((at) => at < 30 || at >= 57);
    await remove(
      api,
      project_id,
      gone.map((at) => `row-${at}`),
    );
    endpoint.accept();
    endpoint.holdAfter(0);
    await api.post('/v1/project/update_indices', { project_id });
    await endpoint.held();
    expect(await left()).toBe(25);
    endpoint.release();
    expect(await built(api, body.job_id)).toBe('Completed');
    expect(await left()).toBe(0);
    expect(await select(api, body.projection_id)).toHaveLength(27);
  });

  test('of a dataset without an index commits its deletions', async () => {
    await using world = await createWorld();
    const { project_id } = await createProject(world);
    await addRows(world.api, project_id, 5);
    await remove(world.api, project_id, ['row-0']);
    expect((await world.api.post('/v1/project/update_indices', { project_id })).status).toBe(200);
    expect(await projectOf(world.api, project_id)).toMatchObject({ total_datums_in_project: 4, insert_update_delete_lock: false });
  });

  test('follows every random sequence of additions, deletions, updates and tags as a plain model does', async () => {
    await using world = await createWorld();
    const { api } = world;
    const id = fc.integer({ min: 0, max: 39 }).map((n) => `row-${n}`);
    const ids = fc.uniqueArray(id, { minLength: 1, maxLength: 12 });
    const step = fc.oneof(
      fc.record({ do: fc.constant('add' as const), ids }),
      fc.record({ do: fc.constant('delete' as const), ids }),
      fc.record({ do: fc.constant('tag' as const), ids }),
      fc.record({ do: fc.constant('untag' as const), ids }),
      fc.record({ do: fc.constant('update' as const), ids: fc.constant([]) }),
    );
    let version = 0;
    const add = (project_id: string, some: string[]) => {
      version += 1;
      const fill = (value: number) => ({ type: new Int32(), values: some.map(() => value) });
      return api.post(
        '/v1/project/data/add/arrow',
        arrowFile(
          { project_id, on_id_conflict_ignore: 'true' },
          { id: { type: new Utf8(), values: some }, text: { type: new Utf8(), values: some.map(() => 'x') }, year: fill(version) },
        ),
      );
    };

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const { project_id } = await createProject(world, 'model');
        const first = Array.from({ length: 30 }, (_, n) => `row-${n}`);
        await add(project_id, first);
        const { body } = await api.post('/v1/project/index/create', indexOrder(project_id, random));
        await built(api, body.job_id);
        const map = body.projection_id as string;

        // id → version: what reads show; the rows that wait; what the map holds; its tag.
        const shown = new Map(first.map((each) => [each, version]));
        const waiting = new Set<string>();
        let held = new Map(shown);
        // Rows with the tag: it belongs to the newest row of an id, whether the map holds that one yet or not.
        const tagged = new Set<string>();
        const newest = (each: string): string => `${each} ${shown.get(each)}`;
        for (const { do: act, ids: some } of steps) {
          if (act === 'add') {
            await add(project_id, some);
            for (const each of some) if (!shown.has(each) || waiting.delete(each)) shown.set(each, version);
          } else if (act === 'delete') {
            await remove(api, project_id, some);
            for (const each of some) if (shown.has(each)) waiting.add(each);
          } else if (act === 'update') {
            for (const each of waiting) shown.delete(each);
            waiting.clear();
            await update(api, project_id);
            held = new Map(shown);
          } else {
            await tag(api, map, [first[0]!]);
            if (shown.has(first[0]!)) tagged.add(newest(first[0]!));
            await tag(api, map, some, act === 'tag' ? 'add' : 'remove');
            for (const each of some)
              if (act === 'untag') tagged.delete(newest(each));
              else if (shown.has(each)) tagged.add(newest(each));
          }
          expect((await projectOf(api, project_id)).total_datums_in_project).toBe(shown.size);
          const datum_ids = [...shown.keys()];
          if (datum_ids.length > 0) {
            const { datums } = (await api.post('/v1/project/data/get', { project_id, datum_ids })).body;
            expect(datums.map(({ id: each, year }: { id: string; year: number }) => [each, year])).toEqual([...shown]);
          }
          expect((await select(api, map)).sort()).toEqual([...held.keys()].sort());
          for (const of of new Set(held.values())) {
            const selection = { ...everything, filters: [{ method: 'range', field: 'year', range: [of, of] }] };
            const expected = [...held].filter(([, year]) => year === of).map(([each]) => each);
            expect((await select(api, map, selection)).sort()).toEqual(expected.sort());
          }
          const [{ count } = { count: 0 }] = (await api.get(`/pages/maps/${map}`)).body.tags;
          expect(count).toBe([...held].filter(([each, of]) => tagged.has(`${each} ${of}`)).length);
        }
        await api.post('/v1/project/remove', { project_id });
      }),
      { numRuns: 8 },
    );
  });
});

test('an update that is killed goes on from its committed stage and ends once', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'portolan-change-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  await using endpoint = await startEmbeddingEndpoint();
  const begin = async () => {
    const running = await startService(dataDir, endpoint.embedding);
    onTestFinished(running.kill);
    return running;
  };
  let service = await begin();
  const { project_id } = await createProject(service);
  await addRows(service.api, project_id, 1_000);
  const { body } = await service.api.post('/v1/project/index/create', indexOrder(project_id));
  await built(service.api, body.job_id);
  await addRows(service.api, project_id, 2_000, { from: 1_000 });
  await remove(service.api, project_id, ['row-1', 'row-2']);
  endpoint.holdAfter(2);
  await service.api.post('/v1/project/update_indices', { project_id });
  const left = async () => (await service.api.get(`/v1/project/index/job/${body.job_id}`)).body.total_atoms_remaining_to_embed;
  await expect.poll(left).toBeLessThan(2_000);
  await service.kill();

  service = await begin();
  expect(await left()).toBeLessThan(2_000);
  expect((await projectOf(service.api, project_id)).insert_update_delete_lock).toBe(true);
  endpoint.release();
  expect(await built(service.api, body.job_id)).toBe('Completed');
  expect(new Set(await select(service.api, body.projection_id)).size).toBe(2_998);
  expect(await update(service.api, project_id)).toBe(200);
  const { rows, summary } = await journal(service.api);
  expect(summary.repeated).toBe(0);
  expect(
    rows.filter(({ operation, changed }: { operation: string; changed: number }) => operation === 'maps.indices.update' && changed > 0),
  ).toHaveLength(1);
});
