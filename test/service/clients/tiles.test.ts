import { Float32, Utf8, tableFromIPC } from 'apache-arrow';
import { beforeAll, describe, expect, test } from 'vitest';
import { fieldsOf, schemaOfMap } from '../map-tiles.ts';
import { arrowFile, built, createMap, createProject, indexOrder } from '../world.ts';
import { useClients } from './place.ts';

const place = useClients();
let made: Awaited<ReturnType<typeof createMap>>;
beforeAll(async () => {
  made = await createMap(place(), 1_500);
});

const quadtree = (file: string, map = made) => place().get(`/v1/project/${map.project_id}/index/projection/${map.map}/quadtree/${file}`);
const octets = 'application/octet-stream';

describe('the tiles of a map as public viewers load them', () => {
  test('the schema is one message, and each field names its sidecar as JSON text', async () => {
    const { status, headers, body } = await place().get(`/v1/project/projection/${made.map}/schema`);
    expect([status, headers['content-type']]).toEqual([200, octets]);
    // Continuation, length, message: nothing follows.
    expect([body.readInt32LE(0), body.readInt32LE(4)]).toEqual([-1, body.length - 8]);
    expect(fieldsOf(body).map(({ name, metadata }) => [name, JSON.parse(metadata.get('sidecar_name')!)])).toEqual([
      ['x', ''],
      ['y', ''],
      ['ix', ''],
      ['id', 'datum_id'],
      ['text', 'text'],
      ['year', 'year'],
      ['score', 'score'],
      ['when', 'when'],
      ['_embeddings', '_embeddings'],
    ]);
  });

  test('the manifest has a row for each tile, from the root down, and every point once', async () => {
    const { status, headers, body } = await quadtree('manifest.feather');
    expect([status, headers['content-type']]).toEqual([200, octets]);
    const table = tableFromIPC(body);
    const rows = [...table].map((row) => row!.toJSON());
    expect(rows[0]).toEqual({ key: '0/0/0', nPoints: 1_000, min_ix: 0n, max_ix: 999n, extent: '{"x":[-1,1],"y":[-1,1]}' });
    let next = 0;
    for (const { nPoints, min_ix, max_ix } of rows) {
      expect([min_ix, max_ix]).toEqual([BigInt(next), BigInt(next + nPoints - 1)]);
      next += nPoints;
    }
    expect(next).toBe(1_500);
    expect(JSON.parse(table.schema.metadata.get('sidecars')!)).toMatchObject({ id: 'datum_id', text: 'text' });
    expect(fieldsOf(Buffer.from(table.schema.metadata.get('schema')!, 'base64'))).toHaveLength(9);
  });

  test('a tile has x, y and an ascending ix within its extent, in one batch that is not compressed', async () => {
    const keys = [...tableFromIPC((await quadtree('manifest.feather')).body).getChild('key')!] as string[];
    expect(keys.length).toBeGreaterThan(2);
    for (const key of keys) {
      const { status, headers, body } = await quadtree(`${key}.feather`);
      expect([status, headers['content-type'], body.toString('latin1', 0, 6)]).toEqual([200, octets, 'ARROW1']);
      const table = tableFromIPC(body);
      expect([table.batches.length, table.schema.names]).toEqual([1, ['x', 'y', 'ix']]);
      const ix = [...table.getChild('ix')!] as bigint[];
      expect(ix).toEqual(Array.from(ix, (_, row) => ix[0]! + BigInt(row)));
      const extent = JSON.parse(table.schema.metadata.get('extent')!) as Record<'x' | 'y', [number, number]>;
      for (const axis of ['x', 'y'] as const)
        for (const value of table.getChild(axis)! as Iterable<number>) {
          expect(value).toBeGreaterThanOrEqual(extent[axis][0]);
          expect(value).toBeLessThanOrEqual(extent[axis][1]);
        }
      const children = JSON.parse(table.schema.metadata.get('children')!) as string[];
      expect(children).toEqual(keys.filter((each) => key === '0/0/0' && each.startsWith('1/')));
    }
  });

  test('sidecars of a tile have the rows of the tile in its order', async () => {
    const [ids, texts, years, vectors] = await Promise.all(
      ['datum_id', 'text', 'year', '_embeddings'].map(async (name) => tableFromIPC((await quadtree(`0/0/0.${name}.feather`)).body)),
    );
    expect([ids, texts, years, vectors].map((table) => [table!.schema.names, table!.numRows])).toEqual([
      [['id'], 1_000],
      [['text'], 1_000],
      [['year'], 1_000],
      [['_embeddings'], 1_000],
    ]);
    const body = { project_id: made.project_id, datum_ids: [...ids!.getChild('id')!] };
    const { datums } = (await place().post('/v1/project/data/get', body)).json as { datums: { text: string; year: number }[] };
    expect([[...texts!.getChild('text')!], [...years!.getChild('year')!]]).toEqual([
      datums.map((row) => row.text),
      datums.map((row) => row.year),
    ]);
    const vector = (row: number) => Array.from(vectors!.getChild('_embeddings')!.get(row) as Iterable<number>);
    const near = { atlas_index_id: (await place().get(`/v1/project/index/job/${made.job}`)).json.index_id, queries: [vector(7)], k: 1 };
    const nearest = (await place().post('/v1/project/data/get/nearest_neighbors/by_embedding', near)).json;
    const found = { project_id: made.project_id, datum_ids: nearest.neighbors[0] };
    expect(nearest.distances[0][0]).toBeLessThan(1e-3);
    expect((await place().post('/v1/project/data/get', found)).json.datums[0].text.split(' ')[0]).toBe(datums[7]!.text.split(' ')[0]);
  });

  test('what is not there is a 404, never an empty 200', async () => {
    for (const file of ['5/0/0.feather', '0/1/0.feather', '0/0/0.nothing.feather', '0/0/0.TEXT.feather', '0/0/0._tag.none.feather'])
      expect([file, (await quadtree(file)).status]).toEqual([file, 404]);
    expect((await quadtree('0/0/x.feather')).status).toBe(422);
    const other = await createProject(place(), 'other');
    expect((await quadtree('manifest.feather', { ...made, project_id: other.project_id })).status).toBe(404);
  });

  test('where another map has committed deletions, the rows of a tile are still numbered as in its file', async () => {
    const lost = await createMap(place(), 40);
    const ids = async () => [...tableFromIPC((await quadtree('0/0/0.datum_id.feather', lost)).body).getChild('id')!] as string[];
    const gone = [(await ids())[0], (await ids())[7]];
    await place().post('/v1/project/data/delete', { project_id: lost.project_id, datum_ids: gone });
    const { job_id } = (await place().post('/v1/project/index/create', indexOrder(lost.project_id, { index_name: 'other' }))).json;
    expect(await built(place().api, job_id)).toBe('Completed');
    const left = await ids();
    expect(left).toHaveLength(38);
    const qids = left.map((_, row) => `0-${row}`);
    const read = { qids, response_type: 'json', columns: ['id'] };
    const { json } = await place().post(`/v1/project/projection/${lost.map}/datums`, read);
    expect(json).toEqual(left.map((id) => ({ id })));
    expect(tableFromIPC((await quadtree('0/0/0.feather', lost)).body).numRows).toBe(38);
  });

  test('without a unique id of its own a map has no sidecar of ids; any name of a column has a file', async () => {
    const { project_id } = await createProject(place(), 'plain', { unique_id_field: null });
    const texts = Array.from({ length: 25 }, (_, row) => `text ${row}`);
    const columns = {
      text: { type: new Utf8(), values: texts },
      'a/b c': { type: new Float32(), values: texts.map((_, row) => row) },
      datum_id: { type: new Utf8(), values: texts },
    };
    expect((await place().post('/v1/project/data/add/arrow', arrowFile({ project_id }, columns))).status).toBe(200);
    const order = indexOrder(project_id);
    const { job_id, projection_id } = (await place().post('/v1/project/index/create', order)).json;
    expect(await built(place().api, job_id)).toBe('Completed');
    const fields = fieldsOf((await place().get(`/v1/project/projection/${projection_id}/schema`)).body);
    const sidecars = Object.fromEntries(fields.map(({ name, metadata }) => [name, JSON.parse(metadata.get('sidecar_name')!)]));
    expect(Object.keys(sidecars)).toEqual(['x', 'y', 'ix', 'text', 'a/b c', 'datum_id', '_embeddings']);
    for (const name of ['a/b c', 'datum_id']) {
      expect(sidecars[name]).toMatch(/^_column\.\d+$/);
      const { body } = await quadtree(`0/0/0.${sidecars[name]}.feather`, { ...made, project_id, map: projection_id });
      expect(tableFromIPC(body).schema.names).toEqual([name]);
    }
    expect((await quadtree('0/0/0.datum_id.feather', { ...made, project_id, map: projection_id })).status).toBe(404);
  });

  test('columns named as those of the tile hide none of them: each stands beside it under a name of its own, and ids in their file under theirs', async () => {
    const { project_id } = await createProject(place(), 'coordinates', { unique_id_field: 'ix' });
    const rows = Array.from({ length: 25 }, (_, row) => row);
    const numbersOf = (from: number) => ({ type: new Float32(), values: rows.map((row) => from + row) });
    const columns = {
      ix: { type: new Utf8(), values: rows.map((row) => `id ${row}`) },
      text: { type: new Utf8(), values: rows.map((row) => `text ${row}`) },
      x: numbersOf(100),
      y: numbersOf(200),
      x_: numbersOf(300),
    };
    expect((await place().post('/v1/project/data/add/arrow', arrowFile({ project_id }, columns))).status).toBe(200);
    const { job_id, projection_id } = (await place().post('/v1/project/index/create', indexOrder(project_id))).json;
    expect(await built(place().api, job_id)).toBe('Completed');
    const fields = await schemaOfMap(place().api, projection_id);
    expect(fields).toEqual([
      ...['x', 'y', 'ix'].map((name) => [name, '']),
      ...['ix_', 'text', 'x__', 'y_', 'x_'].map((name) => [name, name]),
      ['_embeddings', '_embeddings'],
    ]);
    const file = async (name: string) => tableFromIPC((await quadtree(name, { ...made, project_id, map: projection_id })).body);
    const sidecars = JSON.parse((await file('manifest.feather')).schema.metadata.get('sidecars')!) as Record<string, string>;
    expect(Object.entries(sidecars)).toEqual(fields.slice(3));
    expect((await file('0/0/0.feather')).schema.names).toEqual(['x', 'y', 'ix']);
    const column = async (sidecar: string, name: string) => [...(await file(`0/0/0.${sidecar}.feather`)).getChild(name)!] as unknown[];
    const ids = (await column('datum_id', 'ix')) as string[];
    expect(await column('ix_', 'ix_')).toEqual(ids);
    for (const [name, from] of [
      ['x__', 100],
      ['y_', 200],
      ['x_', 300],
    ] as const)
      expect([name, await column(name, name)]).toEqual([name, ids.map((id) => from + Number(id.slice(3)))]);
  });

  test('whoever has no key reads the tiles of a public dataset, and no others', async () => {
    const path = `/v1/project/${made.project_id}/index/projection/${made.map}`;
    const open = (rest: string) => place().rawOpen({ method: 'GET', path: `${path}${rest}` });
    expect((await open('/quadtree/manifest.feather')).status).toBe(401);
    await place().post(`/v1/project/update?project_id=${made.project_id}`, { id: made.project_id, is_public: true });
    expect((await open('/quadtree/manifest.feather')).status).toBe(200);
    expect((await open('/quadtree/0/0/0.datum_id.feather')).status).toBe(200);
    const info = await open('');
    expect([info.status, info.headers['content-type'], info.json]).toEqual([
      200,
      'application/json',
      {
        topic_models: [],
        topic_model_metadatas: null,
        resources: [],
        embedding_field: 'text',
        embedding_model: 'svc-embed-text-v1',
        primary_projection_algorithm: 'pca',
        total_data_points: 1_500,
      },
    ]);
  });
});
