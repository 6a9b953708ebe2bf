import { tableFromIPC } from 'apache-arrow';
import { expect } from 'vitest';
import { everyPoint, useMap } from './map-points.ts';
import { misfitsOf } from './misfits.ts';
import { usePlace } from './place.ts';
import { proves } from './proves.ts';
import { useVectorMap } from './vector-map.ts';

const place = usePlace();
const map = useMap(place);
const vectors = useVectorMap(place);

/** The read by address, as it is written in the query. */
const get = (query: string, projection = map().map) => place().api.get(`/v1/project/projection/${projection}/datums?${query}`);
/** The read by body, where the client would not send it. */
const post = (body: object) => place().api.post(`/v1/project/projection/${map().map}/datums`, body);
const named = (name: string, values: readonly string[]): string => values.map((value) => `${name}=${value}`).join('&');

/** The points of so small a map all lie in its first tile. */
const qids = everyPoint.map((row) => `0-${row}`);

const rows = async (query: string): Promise<Readonly<Record<string, unknown>>[]> => {
  const { status, body } = await get(`${query}&response_type=json`);
  if (status !== 200) throw new Error(`${query}: ${status} ${JSON.stringify(body)}`);
  return body;
};

proves(
  ['maps:GET /v1/project/projection/{map_id}/datums#qid'],
  'qid names a row by its tile and its number there, must be there, and is repeated for several',
  async () => {
    const all = await rows(named('qid', qids));
    expect(new Set(all.map(({ id }) => id))).toEqual(new Set(everyPoint.map((point) => `row-${point}`)));
    // Each by itself is the same row, and several come in the order that they are named in.
    expect(await rows('qid=0-7')).toEqual([all[7]]);
    expect(await rows('qid=0-31&qid=0-7&qid=0-31')).toEqual([all[31], all[7], all[31]]);
    expect((await get('response_type=json')).status).toBe(422);
    for (const qid of ['7', '0-', '-7', '0-7-1', '0_7', 'a-b', '0-7,0-8'])
      expect([qid, ...misfitsOf(await get(`qid=${qid}`))]).toEqual([qid, 422, 'query.qid.0']);
    // The tile comes first: there is no tile 7.
    for (const qid of ['7-0', '0-60']) expect((await get(`qid=${qid}`)).body).toMatchObject({ detail: expect.stringContaining(qid) });
  },
);

proves(
  ['maps:POST /v1/project/projection/{map_id}/datums#qids'],
  'qids is an array of such texts in the body of the other read, and must be there',
  async () => {
    const all = await rows(named('qid', qids));
    const read = (some: string[]) => place().calls.invoke('maps.data.datums', { map_id: map().map, qids: some, response_type: 'json' });
    expect(await read(qids)).toEqual(all);
    expect(await read(['0-31', '0-7'])).toEqual([all[31], all[7]]);
    for (const wrong of [undefined, null, '0-7', { 0: '0-7' }]) expect(await post({ qids: wrong })).toMatchObject({ status: 422 });
    for (const wrong of ['7', 'a-b', 7]) expect(misfitsOf(await post({ qids: ['0-7', wrong] }))).toEqual([422, 'body.qids.1']);
  },
);

/** Ids of an answer that is one file of Arrow. */
const idsOf = (bytes: unknown): unknown[] => {
  if (!(bytes instanceof Uint8Array) || Buffer.from(bytes).subarray(0, 6).toString() !== 'ARROW1') throw new Error('not a file of Arrow');
  return Array.from(tableFromIPC(bytes).getChild('id')!);
};

proves(
  ['maps:GET /v1/project/projection/{map_id}/datums#response_type', 'maps:POST /v1/project/projection/{map_id}/datums#response_type'],
  'response_type is arrow or json: the same rows as a table of Arrow or as JSON',
  async () => {
    const { calls } = place();
    const ids = (await rows('qid=0-3&qid=0-4')).map(({ id }) => id);
    const byAddress = await get('qid=0-3&qid=0-4&response_type=arrow');
    expect(idsOf(byAddress.bytes)).toEqual(ids);
    const asked = { map_id: map().map, qids: ['0-3', '0-4'] };
    const asArrow = await calls.invoke('maps.data.datums', { ...asked, response_type: 'arrow' });
    expect(idsOf(asArrow)).toEqual(ids);
    const asJson = await calls.invoke('maps.data.datums', { ...asked, response_type: 'json' });
    expect(asJson).toMatchObject(ids.map((id) => ({ id })));
    for (const wrong of ['csv', 'ARROW', '']) {
      expect(misfitsOf(await get(`qid=0-3&response_type=${wrong}`))).toEqual([422, 'query.response_type']);
      expect(misfitsOf(await post({ qids: ['0-3'], response_type: wrong }))).toEqual([422, 'body.response_type']);
    }
  },
);

proves(
  ['maps:GET /v1/project/projection/{map_id}/datums#response_type-default'],
  'a read that does not say how it wants its rows gets Arrow',
  async () => {
    const { bytes, headers } = await get('qid=0-3&qid=0-4');
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(idsOf(bytes)).toEqual((await rows('qid=0-3&qid=0-4')).map(({ id }) => id));
  },
);

proves(
  ['maps:GET /v1/project/projection/{map_id}/datums#columns'],
  'columns may be named, each by a parameter of its own: the rows then hold those alone',
  async () => {
    const [whole] = await rows('qid=0-7');
    expect(await rows('qid=0-7&columns=year')).toEqual([{ year: whole!['year'] }]);
    expect(await rows('qid=0-7&columns=score&columns=id')).toEqual([{ score: whole!['score'], id: whole!['id'] }]);
    const { bytes } = await get('qid=0-7&columns=score&columns=id');
    expect(tableFromIPC(bytes).schema.fields.map(({ name }) => name)).toEqual(['score', 'id']);
    const unknown = await get('qid=0-7&columns=colour');
    expect([unknown.status, JSON.stringify(unknown.body)]).toEqual([422, expect.stringContaining('colour')]);
  },
);

proves(
  ['maps:GET /v1/project/projection/{map_id}/datums.1'],
  'without columns the rows hold all but the embeddings, which come where they are named',
  async () => {
    expect(Object.keys((await rows('qid=0-7'))[0]!).toSorted()).toEqual(['id', 'score', 'text', 'when', 'year']);
    const fields = async (query: string) => tableFromIPC((await get(query, vectors().map)).bytes).schema.fields.map(({ name }) => name);
    expect(await fields('qid=0-7')).toEqual(['id', 'kind']);
    expect(await fields('qid=0-7&columns=id&columns=_embeddings')).toEqual(['id', '_embeddings']);
    const { body } = await get('qid=0-7&response_type=json', vectors().map);
    expect(Object.keys(body[0])).toEqual(['id', 'kind']);
  },
);
