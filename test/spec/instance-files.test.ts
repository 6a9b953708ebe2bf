import { expect } from 'vitest';
import { allOf, memberWith, useInstance } from './instance-place.ts';
import { refusalOf } from './place.ts';
import { proves } from './proves.ts';

const place = useInstance();
const file = (name: string, content = name): File => new File([content], name, { type: 'text/plain' });
const upload = (content: File, more: object = {}) => place().owner.invoke('instance.files.upload', { file: content, ...more });
const search = (query: string) => place().owner.invoke('instance.files.search', { query });

proves(['instance:file/1', 'instance:file/2', 'instance:GET /files/search.1'], 'a file has these fields, uploaded and found', async () => {
  const made = await upload(file('fields.txt', 'six by'));
  expect(made).toEqual({
    id: expect.any(String),
    name: 'fields.txt',
    mimeType: 'text/plain',
    size: 6,
    fileType: 'DOCUMENT',
    parentId: null,
    fileVersionId: expect.any(String),
    createdAt: expect.any(String),
    status: 'ready',
  });
  const { data } = await search('fields.txt');
  expect(data).toEqual([{ id: made.id, name: 'fields.txt', mimeType: 'text/plain', parentId: null, path: '/files/fields.txt' }]);
});

proves(
  ['instance:GET /files/search#query', 'instance:GET /files/search#integrationId'],
  'files are found by any part of their name in any case, in their integration',
  async () => {
    const { id } = await upload(file('Ground Floor.txt'));
    for (const query of ['ground', 'FLOOR.T', 'd f']) expect((await search(query)).data.map((each) => each.id)).toEqual([id]);
    expect((await search('cellar')).data).toEqual([]);
    const elsewhere = await place().owner.invoke('instance.files.search', { query: 'ground', integrationId: 'drive' });
    expect(elsewhere.data).toEqual([]);
  },
);

proves(
  ['instance:GET /files/search#limit-default', 'instance:GET /files/search#limit-max', 'instance:GET /files/search#nextCursor'],
  'a page has 10 files, up to 50 where they are asked for, and the rest behind its cursor',
  async () => {
    for (let at = 0; at < 12; at++) await upload(file(`numbered ${at}.txt`));
    expect((await search('numbered')).data).toHaveLength(10);
    const all = await place().owner.invoke('instance.files.search', { query: 'numbered', limit: 50 });
    expect([all.data.length, all.nextCursor]).toEqual([12, null]);
    expect(await allOf(place().owner.pages('instance.files.search', { query: 'numbered', limit: 5 }))).toEqual(all.data);
    const headers = { authorization: `Bearer ${place().service.adminKeys.instance}` };
    expect((await place().api.get('/api/v0/files/search?query=x&limit=51', headers)).status).toBe(400);
  },
);

proves(
  ['instance:GET /files/{id}/status.3', 'instance:GET /files/{id}/status.2'],
  'the status of a file is read by its owner alone',
  async () => {
    const { id } = await upload(file('mine.txt'));
    expect(await place().owner.invoke('instance.files.status', { id })).toEqual({ id, status: 'ready' });
    expect((await refusalOf((await memberWith(place())).invoke('instance.files.status', { id }))).status).toBe(404);
  },
);

proves(
  ['instance:POST /files/temp-folder.2', 'instance:POST /files/upload.2'],
  'the temporary folder is one for each user, and takes files by its id',
  async () => {
    const { id } = await place().owner.invoke('instance.files.tempFolder', {});
    expect(await place().owner.invoke('instance.files.tempFolder', {})).toEqual({ id });
    expect((await (await memberWith(place())).invoke('instance.files.tempFolder', {})).id).not.toBe(id);
    await upload(file('for now.txt'), { parentId: id });
    expect((await search('for now')).data).toMatchObject([{ parentId: id }]);
  },
);

proves(
  ['instance:files/1'],
  'a file of the temporary folder stays where an agent was launched with it, and goes where none was',
  async () => {
    const { id: parentId } = await place().owner.invoke('instance.files.tempFolder', {});
    const launched = await upload(file('launched.txt', 'ada@example.com'), { parentId });
    const left = await upload(file('left.txt'), { parentId });
    await place().owner.invoke('instance.agents.launch', { prompt: { text: 'Extract the emails.' }, fileIds: [launched.id] });
    await place().api.post('/__control/clock', { offsetSeconds: 2 * 86_400 });
    expect(await place().owner.invoke('instance.files.status', { id: launched.id })).toEqual({ id: launched.id, status: 'ready' });
    expect((await refusalOf(place().owner.invoke('instance.files.status', { id: left.id }))).status).toBe(404);
    expect((await search('launched')).data[0]!.parentId).not.toBe(parentId);
    await place().api.post('/__control/clock', { offsetSeconds: 0 });
  },
);

proves(
  ['instance:states-and-transitions/2', 'instance:states-and-transitions/3', 'instance:states-and-transitions/4'],
  'a file is processing while it is ingested, then ready or failed; what is never ingested is ready at once',
  async () => {
    const fault = { operation: 'file.ingesting', times: 2, do: { hold: 'before' } };
    const { id: hold } = (await place().api.post('/__control/faults', fault)).body as { id: string };
    const [whole, broken] = [await upload(file('whole.pdf', '%PDF-1.7')), await upload(file('broken.doc', 'no document'))];
    const statuses = () =>
      Promise.all([whole, broken].map(async ({ id }) => (await place().owner.invoke('instance.files.status', { id })).status));
    expect([whole.status, broken.status, ...(await statuses())]).toEqual(Array(4).fill('processing'));
    expect((await upload(file('table.csv', 'a,b'))).status).toBe('ready');
    await place().api.post('/__control/release', { id: hold });
    await expect.poll(statuses).toEqual(['ready', 'failed']);
  },
);

proves(
  ['instance:errors/refused-post-/files/upload', 'instance:POST /files/upload.1'],
  'an upload is a form with a part file that holds bytes, and refused where it is none',
  async () => {
    const send = (body: FormData | string, headers: Record<string, string> = {}) =>
      fetch(`${place().service.url}/api/v0/files/upload`, {
        method: 'POST',
        body,
        headers: { authorization: `Bearer ${place().service.adminKeys.instance}`, ...headers },
      });
    const form = (content?: File): FormData => {
      const made = new FormData();
      if (content) made.set('file', content);
      return made;
    };
    expect((await send(form(file('sent.txt')))).status).toBe(200);
    for (const refused of [send(form()), send(form(file('empty.txt', ''))), send('{}', { 'content-type': 'application/json' })])
      expect((await refused).status).toBe(400);
  },
);
