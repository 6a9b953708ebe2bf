import { Utf8 } from 'apache-arrow';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { disguises, picture } from '../support/pictures.ts';
import { arrowFile, built, callsOf, createProject, createWorld, indexOrder, type World } from './world.ts';

/** Three reds among pictures of every kind. */
const red = (tone: number) =>
  sharp({ create: { width: 60 + tone, height: 60, channels: 3, background: `rgb(${190 + tone} 20 30)` } })
    .png()
    .toBuffer();
const pictures = [...(await Promise.all(Array.from({ length: 20 }, (_, at) => picture(at)))), await red(0), await red(20), await red(40)];

let world: World;
let invoke: ReturnType<typeof callsOf>['invoke'];
let dataset: string;
let map: string;
let index: string;
let job: string;

const addRows = async (project_id: string, hashes: readonly (string | null)[]): Promise<void> => {
  await invoke('maps.data.addArrow', {
    body: arrowFile(
      { project_id },
      {
        id: { type: new Utf8(), values: hashes.map((_, at) => `p${at}`) },
        name: { type: new Utf8(), values: hashes.map((_, at) => `picture ${at}`) },
        _blob_hash: { type: new Utf8(), values: [...hashes] },
      },
    ),
  });
};
const addBlobs = async (dataset_id: string, all: readonly Buffer[]) =>
  (await invoke('maps.blobs.add', { dataset_id, blobs: all.map((bytes) => new Blob([new Uint8Array(bytes)])) })).hashes;
const imageOrder = (project_id: string, more: object = {}) =>
  indexOrder(project_id, { indexed_field: '_blob_hash', model: 'svc-embed-vision-v1.5', ...more });

beforeAll(async () => {
  world = await createWorld();
  await world.service.listen();
  ({ invoke } = callsOf(world, world.service.adminKeys.maps));
  dataset = (await createProject(world, 'pictures')).project_id;
  await addRows(dataset, await addBlobs(dataset, pictures));
  const made = await invoke('maps.indices.create', imageOrder(dataset));
  job = made.job_id;
  map = String(made.projection_id);
  expect(await built(world.api, job)).toBe('Completed');
  index = (await invoke('maps.indices.job', { job_id: job })).index_id!;
});
afterAll(() => world[Symbol.asyncDispose]());

test('a map of images has a vector of each: a picture in another encoding finds itself', async () => {
  const sent = await Promise.all([4, 9, 15].map(async (at) => disguises['WebP of quality 50']!(pictures[at]!)));
  const { embeddings } = await invoke('maps.embedding.image', { images: sent.map((bytes) => new Blob([new Uint8Array(bytes)])) });
  const { neighbors } = await invoke('maps.neighbors.byEmbedding', { atlas_index_id: index, queries: embeddings, k: 3 });
  expect(neighbors.map(([first]) => first)).toEqual(['p4', 'p9', 'p15']);
});

test('what looks alike is near: the reds are nearest to each other', async () => {
  const { neighbors } = await invoke('maps.neighbors.byId', { atlas_index_id: index, datum_ids: ['p20'], k: 3 });
  expect(neighbors[0]!.map(String).toSorted()).toEqual(['p20', 'p21', 'p22']);
});

test('a text that names a colour finds the images that have it', async () => {
  const answer = await invoke('maps.query.topk', { projection_id: map, k: 3, fields: ['id'], query: 'something red' });
  const { data } = answer as { data: { id: string }[] };
  expect(data.map(({ id }) => id).toSorted()).toEqual(['p20', 'p21', 'p22']);
});

test('its images are counted as embedded, once each', async () => {
  const { organization_id } = (await world.api.post('/v1/organization/create', { nickname: 'counted' })).body;
  const { project_id } = await createProject({ api: world.api, organization: { organization_id, slug: 'counted' } }, 'counted');
  await addRows(project_id, await addBlobs(project_id, pictures));
  const { job_id } = await invoke('maps.indices.create', imageOrder(project_id));
  expect(await built(world.api, job_id)).toBe('Completed');
  const usage = await invoke('maps.usage.period', { organization_id_or_slug: organization_id });
  expect([usage.image_embeddings.used, usage.text_tokens.used]).toEqual([pictures.length, 0]);
});

test.each([
  ['a model of text', { model: 'svc-embed-text-v1' }, 'holds images'],
  ['a column of text', { indexed_field: 'name' }, '_blob_hash'],
  ['a model that is none', { model: 'svc-embed-vision-v9' }, 'unknown model'],
])('an order that takes %s for images is refused', async (_, more, says) => {
  await expect(invoke('maps.indices.create', imageOrder(dataset, more))).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining(says),
  });
});

test('rows that name no blob of the dataset are refused by the order, and named', async () => {
  const { project_id } = await createProject(world, 'without blobs');
  const hashes = await addBlobs(project_id, pictures.slice(0, 20));
  // Those of another dataset are not those of this one, and what a client writes where it got no hash is none.
  await addRows(project_id, [...hashes, 'null', (await addBlobs(dataset, [pictures[20]!]))[0]!]);
  await expect(invoke('maps.indices.create', imageOrder(project_id))).rejects.toMatchObject({
    status: 422,
    message: expect.stringMatching(/_blob_hash names 2 blobs that this dataset does not have/),
  });
});

test('a blob that is no image fails the build with its hash and the reason', async () => {
  const { project_id } = await createProject(world, 'no images');
  const hashes = await addBlobs(project_id, [...pictures.slice(0, 20), Buffer.from('no picture')]);
  await addRows(project_id, hashes);
  const { job_id } = await invoke('maps.indices.create', imageOrder(project_id));
  expect(await built(world.api, job_id)).toBe('Failed');
  const { index_id } = await invoke('maps.indices.job', { job_id });
  const page = await (
    await world.service.fetch(
      new Request(`http://127.0.0.1/v1/project/${project_id}`, { headers: { authorization: `Bearer ${world.service.adminKeys.maps}` } }),
    )
  ).json();
  const [failed] = (page as { maps: { error: string | null }[] }).maps;
  expect(index_id).toBeTruthy();
  expect(failed!.error).toContain(`blob ${hashes.at(-1)}: is no .png, .jpeg or .webp image`);
});
