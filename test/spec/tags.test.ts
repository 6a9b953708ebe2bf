import { beforeAll, expect } from 'vitest';
import type { InputOf } from '../../client/invoke.ts';
import { addRows, built, createProject, indexOrder } from '../service/world.ts';
import { everything, useMap } from './map-points.ts';
import { misfitsOf } from './misfits.ts';
import { refusalOf, usePlace } from './place.ts';
import { proves } from './proves.ts';

const random = { indexed_field: null, model: null, projection_hyperparameters: '{"model":"random"}' };

const place = usePlace();
const map = useMap(place, random);

type Change = InputOf<'maps.tags.update'>;

const change = (more: Partial<Change> = {}): Change => ({
  projection_id: map().map,
  tag_name: 'checked',
  ids: ['row-1', 'row-2'],
  operation: 'add',
  id_field: 'id',
  ...more,
});
const update = (more?: Partial<Change>) => place().calls.invoke('maps.tags.update', change(more));
const misfits = async (more: { [Field in keyof Change]?: unknown }) =>
  misfitsOf(await place().api.post('/v1/query/update/tag/ids', { ...change(), ...more }));

/** Numbers of the points that carry a tag, as the page of the map shows them. */
const tagged = async (tag_id: string | null | undefined, projection_id = map().map): Promise<number[]> => {
  const { status, bytes } = await place().api.get(`/pages/maps/${projection_id}/tagged?tag=${tag_id}`);
  if (status !== 200) throw new Error(`the page of the map: ${status}`);
  return [...new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)];
};

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A second map of the same points. */
let other = '';
beforeAll(async () => {
  const { api } = place();
  const { body } = await api.post('/v1/project/index/create', indexOrder(map().project_id, { ...random, index_name: 'other' }));
  await built(api, body.job_id);
  other = body.projection_id;
});

proves(['maps:what-the-service-does/9'], 'a tag is added to points by their ids and removed from them again', async () => {
  const { tag_id } = await update({ tag_name: 'both ways', ids: ['row-3', 'row-5', 'row-8'] });
  expect(await tagged(tag_id)).toEqual([3, 5, 8]);
  await update({ tag_name: 'both ways', ids: ['row-5', 'row-7'], operation: 'remove' });
  expect(await tagged(tag_id)).toEqual([3, 8]);
});

proves(['maps:tag-update-request/projection_id'], 'a tag belongs to the map that is named by its uuid', async () => {
  const { tag_id } = await update({ tag_name: 'of one map' });
  const { tag_id: there } = await update({ tag_name: 'of one map', projection_id: other, ids: ['row-9'] });
  expect(there).not.toBe(tag_id);
  expect([await tagged(tag_id), await tagged(there, other)]).toEqual([[1, 2], [9]]);
  for (const projection_id of [undefined, null, 7, 'map']) expect(await misfits({ projection_id })).toEqual([422, 'body.projection_id']);
  const unknown = '00000000-0000-4000-8000-000000000000';
  expect((await refusalOf(update({ projection_id: unknown }))).body).toContain(unknown);
});

proves(['maps:tag-update-request/tag_name'], 'the name of a tag is a text: points carry each tag by its own name', async () => {
  const first = await update({ tag_name: 'named', ids: ['row-1'] });
  const second = await update({ tag_name: 'Named ✓', ids: ['row-2'] });
  expect([await tagged(first.tag_id), await tagged(second.tag_id)]).toEqual([[1], [2]]);
  for (const tag_name of [undefined, null, 7, ['named']]) expect(await misfits({ tag_name })).toEqual([422, 'body.tag_name']);
});

proves(['maps:tag-update-request/ids'], 'the points are an array of ids, each of them a text', async () => {
  const { tag_id } = await update({ tag_name: 'some', ids: ['row-40', 'row-0'] });
  expect(await tagged(tag_id)).toEqual([0, 40]);
  for (const ids of [undefined, null, 'row-1', { 0: 'row-1' }]) expect(await misfits({ ids })).toEqual([422, 'body.ids']);
  expect(await misfits({ ids: ['row-1', 2] })).toEqual([422, 'body.ids.1']);
});

proves(['maps:tag-update-request/operation'], 'the operation is add or remove, and must be there', async () => {
  const named = { tag_name: 'by operation', ids: ['row-1'] };
  const { tag_id } = await update({ ...named, operation: 'add' });
  expect(await tagged(tag_id)).toEqual([1]);
  await update({ ...named, operation: 'remove' });
  expect(await tagged(tag_id)).toEqual([]);
  for (const operation of ['set', 'ADD', 'delete', true, null, undefined])
    expect(await misfits({ operation })).toEqual([422, 'body.operation']);
});

proves(
  ['maps:tag-update-request/id_field', 'maps:tag-update-request/id_field.1'],
  'a dataset with a unique id field of its own needs it named',
  async () => {
    for (const id_field of [undefined, null]) expect(await misfits({ id_field })).toEqual([422, 'body.id_field']);
    expect(await misfits({ id_field: 7 })).toEqual([422, 'body.id_field']);
    expect(await misfits({ id_field: 'id' })).toEqual([200]);
  },
);

proves(
  ['maps:tag-update-request/id_field.2'],
  'the field that is named is the unique id field: no other column is taken for it',
  async () => {
    for (const id_field of ['text', 'id_', 'ID', 'no such column']) expect(await misfits({ id_field })).toEqual([422, 'body.id_field']);
  },
);

proves(
  ['maps:tag-update-request/id_field.3'],
  'without a unique id field of its own the field may be left out: the ids are those that the service made',
  async () => {
    const { api, calls } = place();
    const { project_id } = await createProject(place(), 'made ids', { unique_id_field: null });
    await addRows(api, project_id, 20);
    const { body } = await api.post('/v1/project/index/create', indexOrder(project_id, random));
    await built(api, body.job_id);
    const projection_id: string = body.projection_id;
    const { body: ids } = await api.post('/v1/query', { projection_id, selection: everything });
    const tag = { projection_id, tag_name: 'made', operation: 'add' } as const;
    const made = await calls.invoke('maps.tags.update', { ...tag, ids: [ids[4], ids[6]] });
    expect(made.points_tagged).toBe(2);
    expect(await tagged(made.tag_id, projection_id)).toEqual([4, 6]);
    // The column `id` of its rows is one like any other here.
    expect((await calls.invoke('maps.tags.update', { ...tag, ids: ['row-4'] })).points_tagged).toBe(0);
  },
);

proves(
  ['maps:POST /v1/query/update/tag/ids.1', 'maps:POST /v1/query/update/tag/ids.2'],
  'a change of a tag needs map, name, ids and operation, and returns success, tag and number of points',
  async () => {
    for (const field of ['projection_id', 'tag_name', 'ids', 'operation'] as const)
      expect(await misfits({ [field]: undefined })).toEqual([422, `body.${field}`]);
    const { status, body } = await place().api.post('/v1/query/update/tag/ids', change());
    expect([status, body]).toEqual([200, { success: true, tag_id: expect.stringMatching(uuid), points_tagged: 2 }]);
  },
);

proves(
  ['maps:tag-update-request/1', 'maps:tag-update-request/1#success'],
  'success is a boolean, true for a tag that was added and for one that was removed',
  async () => {
    const named = { tag_name: 'successful' };
    for (const operation of ['add', 'remove'] as const) {
      const { body } = await place().api.post('/v1/query/update/tag/ids', change({ ...named, operation }));
      expect(body).toMatchObject({ success: true, tag_id: expect.any(String), points_tagged: expect.any(Number) });
    }
  },
);

proves(['maps:tag-update-request/1#tag_id'], 'tag_id is the uuid of the tag, the same whenever the tag of that name is meant', async () => {
  const ids: unknown[] = [];
  for (const operation of ['add', 'add', 'remove', 'add'] as const) ids.push((await update({ tag_name: 'same', operation })).tag_id);
  expect(ids[0]).toMatch(uuid);
  expect(new Set(ids).size).toBe(1);
  expect((await update({ tag_name: 'another' })).tag_id).not.toBe(ids[0]);
  const page = await place().api.get(`/pages/maps/${map().map}`);
  expect(page.body.tags).toContainEqual({ id: ids[0], name: 'same', count: 2 });
});

proves(
  [
    'maps:tag-update-request/1#points_tagged',
    'maps:limits/a-tag-update-reports-only-points-found-points_tagged-can-be-below-the-number-of-ids',
  ],
  'points_tagged counts the ids that the dataset has: unknown ones are left out, and refuse nothing',
  async () => {
    const named = { tag_name: 'counted', ids: ['row-1', 'ghost', 'row-2', 'row-60'] };
    const { points_tagged, tag_id } = await update(named);
    expect([points_tagged, await tagged(tag_id)]).toEqual([2, [1, 2]]);
    expect((await update({ ...named, ids: ['ghost', 'spirit'] })).points_tagged).toBe(0);
    expect((await update({ ...named, operation: 'remove' })).points_tagged).toBe(2);
    expect(await tagged(tag_id)).toEqual([]);
  },
);
