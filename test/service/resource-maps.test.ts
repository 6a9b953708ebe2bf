import sharp from 'sharp';
import { expect, test } from 'vitest';
import { made, tree, type Listed } from './made-resources.ts';
import { addRows, createMap, createProject, createWorld } from './world.ts';

const everything = { method: 'composition', conjunctor: 'ALL', filters: [] };

test('a checkpoint of a tree is a map like any other: searched, selected, tagged, read by tiles, and updated with later rows', async () => {
  await using world = await createWorld();
  const { api } = world;
  const { project_id } = await createProject(world);
  await addRows(api, project_id, 60);
  const { map } = await made(world, project_id, { ...tree, map: { of: 'MAP_CHECKPOINT', on: { QUADTREE: 'tree' } } });
  expect(map).toMatchObject({ status: 'COMPLETED', result: { points: 60 } });
  const { map_id, index_id } = map!.result as { map_id: string; index_id: string };
  const project = (await api.get(`/v1/project/${project_id}`)).body;
  expect(project).toMatchObject({
    insert_update_delete_lock: false,
    maps: [{ map_id, ready: true, primary_projection_algorithm: 'umap', total_data_points: 60 }],
    atlas_indices: [{ id: index_id, indexed_field: 'text', colorable_fields: ['year'], projections: [{ id: map_id, ready: true }] }],
  });
  const found = async (query: string): Promise<string[]> =>
    (await api.post('/v1/query/topk', { projection_id: map_id, k: 6, fields: ['text'], query })).body.data.map(
      ({ text }: { text: string }) => text,
    );
  for (const text of await found('bread')) expect(text).toMatch(/^bread/);
  const selected = async () => (await api.post('/v1/query', { projection_id: map_id, selection: everything })).body.length as number;
  expect(await selected()).toBe(60);
  const tag = { projection_id: map_id, tag_name: 't', ids: ['row-1'], operation: 'add', id_field: 'id' };
  expect((await api.post('/v1/query/update/tag/ids', tag)).body.points_tagged).toBe(1);
  const datums = async (qid: string) =>
    (await api.get(`/v1/project/projection/${map_id}/datums?qid=${qid}&response_type=json&columns=id`)).body;
  const before = await datums('0-7');
  expect(before).toEqual([{ id: 'row-7' }]);

  await addRows(api, project_id, 9, { from: 60 });
  await api.post('/v1/project/update_indices', { project_id });
  await expect.poll(async () => (await api.get(`/v1/project/${project_id}`)).body.insert_update_delete_lock).toBe(false);
  expect([await selected(), await datums('0-7'), await datums('0-68')]).toEqual([69, before, [{ id: 'row-68' }]]);
});

test('what is no map of all rows is none: a part of the rows fails with the reason, and leaves no index', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  await addRows(world.api, project_id, 60);
  const part = { method: 'composition', conjunctor: 'ALL', filters: [{ method: 'range', field: 'year', range: [1900, 1929] }] };
  const resources = await made(world, project_id, {
    ...tree,
    rows: { of: 'DATASET_CHECKPOINT', with: { composite_filter: part } },
    map: { of: 'MAP_CHECKPOINT', on: { QUADTREE: 'tree' } },
    known: { of: 'MAP_CHECKPOINT', on: { QUADTREE: 'tree' }, with: { map_id: project_id } },
  });
  expect(resources['map']).toMatchObject({ status: 'FAILED', error: expect.stringContaining('without a filter') });
  expect(resources['known']).toMatchObject({ status: 'FAILED', error: expect.stringContaining('leave map_id out') });
  expect((await world.api.get(`/v1/project/${project_id}`)).body).toMatchObject({ atlas_indices: [], insert_update_delete_lock: false });
});

test('a picture of a map is drawn: a pixel of its colour where a point is, other colours by a column, kept as a blob that the dataset names', async () => {
  await using world = await createWorld();
  const { api } = world;
  const { project_id, map } = await createMap(world, 60);
  const image = { of: 'OPENGRAPH_IMAGE', with: { map_id: map } };
  const pictures = await made(world, project_id, {
    plain: image,
    colored: { of: 'OPENGRAPH_IMAGE', with: { map_id: map, color_column: 'text' } },
    years: { of: 'OPENGRAPH_IMAGE', with: { map_id: map, color_column: 'year' } },
    nowhere: { of: 'OPENGRAPH_IMAGE', with: { map_id: project_id } },
    unknown: { of: 'OPENGRAPH_IMAGE', with: { map_id: map, color_column: 'colour' } },
  });
  expect([pictures['nowhere']!.error, pictures['unknown']!.error]).toEqual([
    `${project_id} is no map of this dataset`,
    '"colour" is not a column of this dataset',
  ]);
  /** Colours of a picture and their pixels, as another program reads them. */
  const colorsOf = async ({ result }: Listed): Promise<Map<string, number>> => {
    expect(result).toMatchObject({ map_id: map, width: 1_200, height: 630, points: 60 });
    const { url } = (await api.get(`/v1/project/data/get/blob/${project_id}/${result.blob_hash}`)).body;
    const bytes = Buffer.from(await (await world.service.fetch(new Request(url))).arrayBuffer());
    const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, info.channels, bytes.length]).toEqual([1_200, 630, 3, result.bytes]);
    const seen = new Map<string, number>();
    for (let pixel = 0; pixel < data.length; pixel += 3) {
      const color = data.subarray(pixel, pixel + 3).join();
      seen.set(color, (seen.get(color) ?? 0) + 1);
    }
    return seen;
  };
  const [plain, colored, years] = [
    await colorsOf(pictures['plain']!),
    await colorsOf(pictures['colored']!),
    await colorsOf(pictures['years']!),
  ];
  expect([plain.size, colored.size > 2, years.size > 2]).toEqual([2, true, true]);
  const background = [...plain].toSorted(([, a], [, b]) => b - a)[0]![0];
  const ink = (picture: Map<string, number>): number => 1_200 * 630 - picture.get(background)!;
  // The same points in the same places.
  expect([ink(colored), ink(years)]).toEqual([ink(plain), ink(plain)]);
  expect(ink(plain)).toBeGreaterThan(500);
  const project = (await api.get(`/v1/project/${project_id}`)).body;
  expect([project.og_image, project.atlas_indices[0].projections[0].og_image]).toEqual([
    pictures['years']!.result.blob_hash,
    pictures['years']!.result.blob_hash,
  ]);
});
