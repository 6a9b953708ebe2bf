import { Field, FixedSizeList, Float32, Utf8, tableFromIPC } from 'apache-arrow';
import { expect, test } from 'vitest';
import { projectInThread } from '../../service/engine/projection/in-thread.ts';
import { createRandom } from '../../service/engine/projection/random.ts';
import { arrowFile, built, createProject, createWorld, indexOrder, type World } from './world.ts';

const dims = 8;

/** Vectors in three crowds; row n is of crowd n % 3. Equal for equal numbers. */
const vectorOf = (row: number): number[] => {
  const random = createRandom(`row ${row}`);
  return Array.from({ length: dims }, (_, k) => (k === row % 3 ? 10 : 0) + random());
};

const addVectors = async (
  { api }: World,
  project_id: string,
  rows: readonly number[],
  name = (row: number) => `p${row}`,
): Promise<void> => {
  const columns = {
    id: { type: new Utf8(), values: rows.map(name) },
    _embeddings: { type: new FixedSizeList(dims, new Field('item', new Float32(), true)), values: rows.map(vectorOf) },
  };
  const { status, body } = await api.post('/v1/project/data/add/arrow', arrowFile({ project_id }, columns));
  expect([status, body.detail]).toEqual([200, undefined]);
};

const mapBy = async ({ api }: World, project_id: string, index_name: string, settings?: object): Promise<string> => {
  const asked = settings === undefined ? {} : { projection_hyperparameters: JSON.stringify(settings) };
  const order = indexOrder(project_id, { index_name, indexed_field: null, model: null, ...asked });
  const { status, body, headers } = await api.post('/v1/project/index/create', order);
  expect([status, body.detail, headers.get('x-atlaswarning')]).toEqual([200, undefined, null]);
  expect(await built(api, body.job_id)).toBe('Completed');
  return body.projection_id as string;
};

type Places = Map<string, [number, number]>;

/** The places of all points, which are few enough for the root. */
const placesOf = async ({ api }: World, project: string, map: string): Promise<Places> => {
  const read = async (file: string) =>
    tableFromIPC((await api.get(`/v1/project/${project}/index/projection/${map}/quadtree/0/0/0${file}.feather`)).bytes);
  const [tile, sidecar] = [await read(''), await read('.datum_id')];
  const [x, y] = [[...tile.getChild('x')!] as number[], [...tile.getChild('y')!] as number[]];
  return new Map(Array.from(sidecar.getChild('id')! as Iterable<string>, (id, at) => [id, [x[at]!, y[at]!]]));
};

/** Of each point the one that is nearest to it on the map: how many are of its crowd. */
const ofOneCrowd = (places: Places): number => {
  const listed = [...places].map(([id, at]) => ({ crowd: Number(id.slice(1)) % 3, at }));
  return listed.filter(({ crowd, at }, own) => {
    const distances = listed.map((each, other) => (other === own ? Infinity : Math.hypot(each.at[0] - at[0], each.at[1] - at[1])));
    return listed[distances.indexOf(Math.min(...distances))]!.crowd === crowd;
  }).length;
};

const algorithmOf = async ({ api }: World, project: string, map: string): Promise<string> =>
  (await api.get(`/v1/project/${project}/index/projection/${map}`)).body.primary_projection_algorithm;

test('settings of a projection are obeyed: each gives other places, the same each time, and later points stand among their nearest', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  await addVectors(
    world,
    project_id,
    Array.from({ length: 90 }, (_, row) => row),
  );
  const orders = {
    plain: undefined,
    // As a public client sends it with every order.
    settings: { n_neighbors: 15, n_epochs: 50, spread: 1 },
    fewer: { n_neighbors: 4, n_epochs: 50, spread: 1 },
    longer: { n_neighbors: 15, n_epochs: 90, spread: 1 },
    closer: { n_neighbors: 15, n_epochs: 50, spread: 1, min_dist: 0 },
    wider: { n_neighbors: 15, n_epochs: 50, spread: 3 },
    named: { model: 'umap', n_neighbors: null, rho: null },
  };
  const maps: Record<string, string> = {};
  for (const [name, settings] of Object.entries(orders)) maps[name] = await mapBy(world, project_id, name, settings);
  const places = Object.fromEntries(
    await Promise.all(Object.entries(maps).map(async ([name, map]) => [name, await placesOf(world, project_id, map)] as const)),
  );
  expect(new Set(Object.values(places).map((each) => JSON.stringify([...each]))).size).toBe(Object.keys(orders).length);
  expect(await placesOf(world, project_id, await mapBy(world, project_id, 'again', orders.settings))).toEqual(places['settings']);
  expect([await algorithmOf(world, project_id, maps['plain']!), await algorithmOf(world, project_id, maps['settings']!)]).toEqual([
    'pca',
    'umap',
  ]);
  expect(ofOneCrowd(places['settings']!)).toBe(90);

  // Later points: new ones of each crowd, and one that is equal to one that is there.
  await addVectors(world, project_id, [90, 91, 92]);
  await addVectors(world, project_id, [7], () => 'p907');
  await world.api.post('/v1/project/update_indices', { project_id });
  await expect.poll(async () => (await world.api.get(`/v1/project/${project_id}`)).body.insert_update_delete_lock).toBe(false);
  const later = await placesOf(world, project_id, maps['settings']!);
  for (const [id, place] of places['settings']!) expect(later.get(id)).toEqual(place);
  expect(ofOneCrowd(new Map([...later].filter(([id]) => id !== 'p907')))).toBe(93);
  expect(later.get('p907')).toEqual(later.get('p7'));
});

test('of more points than UMAP is fitted on all are placed, those beyond among their nearest', async () => {
  const count = 6_000;
  const vectors = Float32Array.from(Array.from({ length: count }, (_, row) => vectorOf(row)).flat());
  const fit = vectors.slice(0, 300 * dims);
  const umap = { n_neighbors: 10, n_epochs: 60, min_dist: 0.1, spread: 1 };
  const { xy, axes } = await projectInThread({ kept: new Float32Array(), points: count, from: { fit, dims, umap } }, [vectors]);
  expect([xy.length, 'near' in axes!]).toEqual([count * 2, true]);
  for (const value of xy) expect(Math.abs(value)).toBeLessThanOrEqual(1);
  // The middle of a crowd is nearer to its own points than that of any other.
  const middles = [0, 1, 2].map((crowd) => {
    const own = Array.from({ length: 100 }, (_, at) => at * 3 + crowd);
    return [0, 1].map((axis) => own.reduce((sum, row) => sum + xy[row * 2 + axis]!, 0) / own.length);
  });
  let right = 0;
  for (let row = 300; row < count; row += 1) {
    const distances = middles.map(([x, y]) => Math.hypot(xy[row * 2]! - x!, xy[row * 2 + 1]! - y!));
    right += Number(distances.indexOf(Math.min(...distances)) === row % 3);
  }
  expect(right).toBe(count - 300);
});
