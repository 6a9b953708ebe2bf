import { request } from 'node:http';
import { Utf8 } from 'apache-arrow';
import { expect, test } from 'vitest';
import { addRows, arrowFile, built, createMap, createProject, createWorld, indexOrder } from './world.ts';

const canary = `</script><script>alert(1)</script><img src=x onerror="alert('2')">&amp;`;

type Got = { status: number; headers: Record<string, string | string[] | undefined>; bytes: Buffer; text: string; json: any };

/** A plain GET over a socket with the headers as given: fetch would not send another Host. */
const get = (url: string, headers: Record<string, string> = {}): Promise<Got> =>
  new Promise((resolve, reject) => {
    const asked = request(url, { headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const bytes = Buffer.concat(parts);
        const isJson = response.headers['content-type'] === 'application/json';
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          bytes,
          text: bytes.toString(),
          json: isJson ? JSON.parse(bytes.toString()) : undefined,
        });
      });
    });
    asked.on('error', reject);
    asked.end();
  });

const floats = (bytes: Buffer): Float32Array => new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
const integers = (bytes: Buffer): number[] => [...new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))];

/** A project whose names, columns and values are all hostile, with a map. */
const createHostile = async (world: Awaited<ReturnType<typeof createWorld>>) => {
  const { project_id, slug } = await createProject(world, `evil ${canary}`, { description: canary });
  const rows = Array.from({ length: 40 }, (_, row) => row);
  const added = await world.api.post(
    '/v1/project/data/add/arrow',
    arrowFile(
      { project_id },
      {
        id: { type: new Utf8(), values: rows.map((row) => `<i>${row}</i>`) },
        text: { type: new Utf8(), values: rows.map((row) => `${canary} ${row}`) },
        kind: { type: new Utf8(), values: rows.map((row) => (row % 4 === 0 ? '<u>few</u>' : '<b>many</b>')) },
      },
    ),
  );
  if (added.status !== 200) throw new Error(`add: ${added.status} ${JSON.stringify(added.body)}`);
  const { body } = await world.api.post('/v1/project/index/create', indexOrder(project_id, { index_name: `map ${canary}` }));
  await built(world.api, body.job_id);
  return { slug, map: body.projection_id as string };
};

test('the page of a map and all that it loads: points, categories, tags, rows, search', async () => {
  await using world = await createWorld();
  const { url } = await world.service.listen();
  const { map } = await createHostile(world);
  await world.api.post('/v1/query/update/tag/ids', {
    projection_id: map,
    tag_name: '<s>tag</s>',
    ids: ['<i>7</i>', '<i>3</i>'],
    operation: 'add',
    id_field: 'id',
  });

  const about = (await get(`${url}/pages/maps/${map}`)).json;
  expect(about).toMatchObject({
    title: 'map by text',
    name: `map ${canary}`,
    stage: 'Completed',
    rows: 40,
    searchable: true,
    labelField: 'text',
    idField: 'id',
  });
  expect(about.dataset.href).toMatch(/^\/data\/local\/[a-z0-9-]+$/);
  expect(about.categories).toEqual([
    {
      name: 'kind',
      values: [
        { value: '<b>many</b>', count: 30 },
        { value: '<u>few</u>', count: 10 },
      ],
    },
  ]);
  expect(about.tags).toEqual([{ id: expect.any(String), name: '<s>tag</s>', count: 2 }]);

  const points = await get(`${url}/pages/maps/${map}/points`);
  expect(points.headers['content-type']).toBe('application/octet-stream');
  expect(points.bytes).toHaveLength(40 * 8);
  expect(new Set(floats(points.bytes).subarray(0, 40)).size).toBeGreaterThan(10);

  const numbers = [...(await get(`${url}/pages/maps/${map}/categories?column=kind`)).bytes];
  expect(numbers).toEqual(Array.from({ length: 40 }, (_, row) => (row % 4 === 0 ? 1 : 0)));
  expect((await get(`${url}/pages/maps/${map}/categories?column=none`)).status).toBe(422);

  expect(integers((await get(`${url}/pages/maps/${map}/tagged?tag=${about.tags[0].id}`)).bytes)).toEqual([3, 7]);
  expect((await get(`${url}/pages/maps/${map}/tagged?tag=none`)).status).toBe(404);

  expect((await get(`${url}/pages/maps/${map}/row?row=5`)).json).toEqual({ id: '<i>5</i>', text: `${canary} 5`, kind: '<b>many</b>' });
  for (const row of ['40', '-1', '1e3', '']) expect((await get(`${url}/pages/maps/${map}/row?row=${row}`)).status, row).toBe(404);

  const { results } = (await get(`${url}/pages/maps/${map}/search?q=${encodeURIComponent(`${canary} 11`)}`)).json;
  expect(results).toHaveLength(40);
  expect(results[0]).toMatchObject({ row: 11, label: `${canary} 11` });
  expect((await get(`${url}/pages/maps/${map}/search?q=%20`)).status).toBe(400);
});

test('hostile rows stay text: the page of a map holds none, the page of a dataset escapes all, and a policy forbids the rest', async () => {
  await using world = await createWorld();
  const { url } = await world.service.listen();
  const { slug, map } = await createHostile(world);
  const pages = [
    await get(`${url}/maps/${map}`),
    await get(`${url}/data/local/${slug}`),
    await get(`${url}/`),
    await get(`${url}/data/local/${encodeURIComponent(canary)}`),
  ];
  expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 404]);
  for (const { text, headers } of pages) {
    const policy = String(headers['content-security-policy']);
    const nonce = /style-src 'nonce-([^']+)'/.exec(policy)![1];
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    // The only script and style elements are those that carry the nonce, and nothing comes from elsewhere.
    for (const [tag] of text.matchAll(/<(?:script|style)\b[^>]*>/g)) expect(tag).toContain(`nonce="${nonce}"`);
    expect(text).not.toMatch(/<img|onerror="|<i>|<u>|<b>many|(?:src|href)="?(?:https?:)?\/\//);
    expect(text).not.toContain(canary);
  }
  const [mapPage, dataPage] = pages as [Got, Got];
  expect(mapPage.text).not.toContain('alert(');
  expect(mapPage.text.match(/<script/g)).toHaveLength(1);
  expect(mapPage.text).not.toMatch(/innerHTML|insertAdjacentHTML|outerHTML|document\.write|eval\(|^import |^export /m);
  expect(dataPage.text).not.toContain('<script');
  expect(dataPage.text).toContain(
    '&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=&quot;alert(&#39;2&#39;)&quot;&gt;&amp;amp; 19',
  );
  expect(dataPage.text).not.toContain('&amp;amp; 20');
  expect(dataPage.text).toContain(`href="/maps/${map}"`);
  expect(dataPage.text).toContain('40 rows · 3 columns · 1 map');
  const nonces = [mapPage, await get(`${url}/maps/${map}`)].map(
    ({ headers }) => /nonce-([^']+)/.exec(String(headers['content-security-policy']))![1],
  );
  expect(new Set(nonces).size).toBe(2);
});

test('are not there for another Host, for a page of another origin, and without the control plane', async () => {
  await using world = await createWorld();
  const { url, port } = await world.service.listen();
  const { map } = await createMap(world);
  const paths = [
    '/',
    `/maps/${map}`,
    '/data/local/ships',
    `/pages/maps/${map}`,
    `/pages/maps/${map}/points`,
    `/pages/maps/${map}/row?row=1`,
  ];
  for (const path of paths) {
    expect((await get(url + path)).status, path).toBe(200);
    expect((await get(url + path, { host: `localhost:${port}` })).status, path).toBe(200);
    for (const host of [`evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.example']) {
      const refused = await get(url + path, { host });
      expect([refused.status, refused.json], `${path} ${host}`).toEqual([404, { detail: `no such operation: GET ${path.split('?')[0]}` }]);
    }
  }
  for (const site of ['cross-site', 'same-site'])
    expect((await get(`${url}/pages/maps/${map}/row?row=1`, { 'sec-fetch-site': site })).status).toBe(404);
  expect((await get(`${url}/pages/maps/${map}/row?row=1`, { 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  // A link from a report leads here.
  expect((await get(`${url}/maps/${map}`, { 'sec-fetch-site': 'cross-site' })).status).toBe(200);
  expect((await get(`${url}/maps/none`)).status).toBe(404);
  expect((await get(`${url}/pages/maps/none`)).status).toBe(404);

  await world.service.close();
  await using plain = await createWorld({ dataDir: world.dataDir, control: false });
  const { url: plainUrl } = await plain.service.listen();
  for (const path of paths) expect((await get(plainUrl + path)).status, path).toBe(404);
});

test('a map that is still being built shows its stage, and its points are not there yet', async () => {
  await using world = await createWorld();
  const { url } = await world.service.listen();
  const { project_id, slug } = await createProject(world);
  await addRows(world.api, project_id, 3_000);
  const { body } = await world.api.post('/v1/project/index/create', indexOrder(project_id));
  const early = await get(`${url}/pages/maps/${body.projection_id}`);
  expect(early.json).toMatchObject({ rows: 3_000, searchable: false, categories: [] });
  expect(['Waiting', 'Embedding', 'Indexing', 'Projecting']).toContain(early.json.stage);
  expect((await get(`${url}/maps/${body.projection_id}`)).status).toBe(200);
  expect((await get(`${url}/data/local/${slug}`)).text).toMatch(/http-equiv="refresh"/);
  expect((await get(`${url}/pages/maps/${body.projection_id}/points`)).status).toBe(400);
  expect(await built(world.api, body.job_id)).toBe('Completed');
  expect((await get(`${url}/pages/maps/${body.projection_id}`)).json).toMatchObject({ stage: 'Completed', searchable: true });
  expect((await get(`${url}/data/local/${slug}`)).text).not.toMatch(/http-equiv="refresh"/);
});

test('the first page lists the APIs and the newest datasets, and leads to their pages', async () => {
  await using world = await createWorld();
  const { url } = await world.service.listen();
  const first = await get(`${url}/`);
  expect(first.text).toContain('None yet');
  const { slug } = await createHostile(world);
  await createProject(world, 'later ships');
  const { status, text } = await get(`${url}/`);
  expect(status).toBe(200);
  expect(text).toMatch(/Maps API[^]*\/v1[^]*Instance API[^]*\/api\/v0/i);
  const links = [...text.matchAll(/href="(\/data\/[^"]+)"/g)].map(([, link]) => link);
  expect(links).toEqual(['/data/local/later-ships', `/data/local/${slug}`]);
  for (const link of links) expect((await get(`${url}${link}`)).status, link).toBe(200);
});

test('an empty dataset has a page too', async () => {
  await using world = await createWorld();
  const { url } = await world.service.listen();
  const { slug } = await createProject(world, 'empty');
  const page = await get(`${url}/data/local/${slug}`);
  expect(page.status).toBe(200);
  expect(page.text).toContain('0 rows · 0 columns · 0 maps');
});
