import { Bool, Field, List, Utf8, tableFromIPC } from 'apache-arrow';
import { beforeAll, describe, expect, test } from 'vitest';
import { arrowFile, createMap } from '../world.ts';
import { useClients } from './place.ts';

const place = useClients();
let made: Awaited<ReturnType<typeof createMap>>;
beforeAll(async () => {
  made = await createMap(place(), 1_500);
});

const tags = '/v1/project/projection/tags';
const json = 'application/json';
let names = 0;
const create = (more: object = {}) =>
  place().post(`${tags}/create`, {
    project_id: made.project_id,
    tag_name: `tag ${++names}`,
    dsl_rule: JSON.stringify(['ANY', { field: 'year', range: [1, 2] }]),
    projection_id: made.map,
    tag_definition_id: `hash${names}`,
    ...more,
  });
const quadtree = (file: string) => place().get(`/v1/project/${made.project_id}/index/projection/${made.map}/quadtree/${file}`);
const query = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const masked = async (definition: string, key = '0/0/0') =>
  [...tableFromIPC((await quadtree(`${key}._tag.${definition}.feather`)).body).getChild('bitmask')!] as boolean[];

const bits = new List(new Field('item', new Bool(), true));

describe('the tags of a map as public clients make them', () => {
  test('a tag is created by 201 and is in the list of all, which is an array', async () => {
    const { status, headers, json: tag } = await create();
    expect([status, headers['content-type']]).toEqual([201, json]);
    expect(tag).toMatchObject({
      tag_name: 'tag 1',
      tag_definition_id: 'hash1',
      projection_id: made.map,
      tag_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const all = await place().get(`${tags}/get/all?${query({ project_id: made.project_id, projection_id: made.map })}`);
    expect([all.status, all.headers['content-type']]).toEqual([200, json]);
    expect(all.json).toEqual([tag]);
    const inPython = { project_id: made.project_id, projection_id: made.map, include_dsl_rule: 'False' };
    expect((await place().get(`${tags}/get/all?${query(inPython)}`)).status).toBe(200);
  });

  test('a mask in one row for each tile is what the tiles of the tag say; until it is complete so is not the tag', async () => {
    const { tag_id, tag_definition_id } = (await create()).json;
    const keys = [...tableFromIPC((await quadtree('manifest.feather')).body).getChild('key')!] as string[];
    const counts = [...tableFromIPC((await quadtree('manifest.feather')).body).getChild('nPoints')!] as number[];
    const lists = counts.map((count, tile) => Array.from({ length: count }, (_, row) => row % (tile + 2) === 0));
    const metadata = { project_id: made.project_id, tag_id, tag_definition_id };
    const send = (complete: string, columns: Parameters<typeof arrowFile>[1]) =>
      place().post(`${tags}/update/mask`, arrowFile({ ...metadata, complete }, columns), { 'content-type': 'application/octet-stream' });
    const status = async () => (await place().get(`${tags}/status?${query({ project_id: made.project_id, tag_id })}`)).json;

    const first = await send('false', {
      key: { type: new Utf8(), values: keys.slice(0, 1) },
      bitmask: { type: bits, values: lists.slice(0, 1) },
    });
    expect([first.status, await status()]).toEqual([201, { is_complete: false }]);
    expect([await masked(tag_definition_id), (await masked(tag_definition_id, keys[1])).includes(true)]).toEqual([lists[0], false]);
    expect((await send('true', { bitmask: { type: bits, values: lists } })).status).toBe(201);
    expect(await status()).toEqual({ is_complete: true });
    for (const [at, key] of keys.entries()) expect(await masked(tag_definition_id, key)).toEqual(lists[at]);
    // A later mask takes the tag from points as well.
    await send('true', { bitmask: { type: bits, values: [lists.flat().map((has) => !has)] } });
    expect(await masked(tag_definition_id)).toEqual(lists[0]!.map((has) => !has));
    const wrong = await send('true', { bitmask: { type: bits, values: [[true]] } });
    expect([wrong.status, wrong.json.detail[0].msg]).toEqual([422, '1 booleans for the 1500 points of the map']);
    const twice = { key: { type: new Utf8(), values: [keys[0]!, keys[0]!] }, bitmask: { type: bits, values: [lists[0]!, lists[0]!] } };
    const doubled = await send('false', twice);
    expect([doubled.status, doubled.json.detail[0].msg]).toEqual([422, expect.stringContaining('stands in the mask twice')]);
    expect((await send('maybe', { bitmask: { type: bits, values: lists } })).status).toBe(422);
    expect((await send('true', { other: { type: bits, values: lists } })).status).toBe(422);
  });

  test('a tag is renamed, given another rule, and deleted', async () => {
    const { tag_id, ...tag } = (await create()).json;
    const renamed = await place().post(`${tags}/update`, { tag_id, tag_name: 'renamed' });
    expect([renamed.status, renamed.json]).toEqual([200, { ...tag, tag_id, tag_name: 'renamed' }]);
    const changed = await place().post(`${tags}/update`, { tag_id, dsl_rule: '["NOT"]', tag_definition_id: 'hash0' });
    expect(changed.json).toMatchObject({ tag_id, tag_name: 'renamed', tag_definition_id: 'hash0', dsl_rule: '["NOT"]' });
    const got = await place().get(`${tags}/get?${query({ tag_id })}`);
    expect(got.json).toEqual(changed.json);
    const gone = await place().post(`${tags}/delete`, { project_id: made.project_id, tag_id });
    expect([gone.status, gone.headers['content-type'], gone.json]).toEqual([200, json, { result: 'ok' }]);
    expect((await place().get(`${tags}/get?${query({ tag_id })}`)).status).toBe(404);
    expect((await quadtree('0/0/0._tag.hash0.feather')).status).toBe(404);
  });

  test('a tag set by ids is one of them, complete, and has tiles by its own id', async () => {
    const ids = [...tableFromIPC((await quadtree('0/0/0.datum_id.feather')).body).getChild('id')!] as string[];
    const body = { projection_id: made.map, tag_name: 'by ids', ids: [ids[3], ids[9]], operation: 'add', id_field: 'id' };
    const { tag_id } = (await place().post('/v1/query/update/tag/ids', body)).json;
    const tag = (await place().get(`${tags}/get?${query({ tag_id, project_id: made.project_id })}`)).json;
    expect(tag).toMatchObject({ tag_name: 'by ids', tag_definition_id: tag_id, dsl_rule: null });
    expect((await place().get(`${tags}/status?${query({ project_id: made.project_id, tag_id })}`)).json).toEqual({ is_complete: true });
    expect((await masked(tag_id)).flatMap((has, row) => (has ? [row] : []))).toEqual([3, 9]);
  });

  test('a rule of the text is carried out by the service', async () => {
    const rule = { method: 'composition', conjunctor: 'ALL', filters: [{ method: 'range', field: 'year', range: [1900, 1909] }] };
    const { tag_id, tag_definition_id } = (await create({ dsl_rule: JSON.stringify(rule) })).json;
    const { status, json: answer } = await place().post(`${tags}/robotag`, { tag_id, project_id: made.project_id });
    expect([status, answer]).toEqual([200, { result: 'ok' }]);
    const years = [...tableFromIPC((await quadtree('0/0/0.year.feather')).body).getChild('year')!] as number[];
    expect(await masked(tag_definition_id)).toEqual(years.map((year) => year <= 1909));
    // With another rule it is on no point before its mask is there.
    await place().post(`${tags}/update`, { tag_id, tag_definition_id: 'other', dsl_rule: '["NOT"]' });
    expect(await masked('other')).not.toContain(true);
  });
});
