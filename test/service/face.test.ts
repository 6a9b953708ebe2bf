import { Int32, Utf8 } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromium, openBrowser, type BrowserPage } from '../support/chromium.ts';
import { picture } from '../support/pictures.ts';
import { arrowFile, built, callsOf, createMap, createProject, createWorld, indexOrder, type World } from './world.ts';

const canary = `</td><script>alert(1)</script><img src=x onerror="alert('2')">`;

let world: World;
let url: string;
let map: string;
let dataset: string;
let invoke: ReturnType<typeof callsOf>['invoke'];

beforeAll(async () => {
  world = await createWorld();
  ({ url } = await world.service.listen());
  ({ invoke } = callsOf(world, world.service.adminKeys.maps));
  ({ map, project_id: dataset } = await createMap(world, 60));
});
afterAll(() => world[Symbol.asyncDispose]());

const page = async (path: string): Promise<{ status: number; text: string; headers: Headers }> => {
  const answer = await fetch(`${url}${path}`);
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
};
const asUint32 = (points: readonly number[]): Uint8Array<ArrayBuffer> => new Uint8Array(Uint32Array.from(points).buffer);
const tag = (points: readonly number[], name: string, operation = 'add', headers: Record<string, string> = {}) =>
  fetch(`${url}/pages/maps/${map}/tag?name=${encodeURIComponent(name)}&operation=${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: asUint32(points),
  });

test('every page leads to the datasets, the organizations and the journal', async () => {
  for (const path of ['/', '/organizations', `/organizations/${world.organization.slug}`, '/journal']) {
    const { status, text, headers } = await page(path);
    expect(status, path).toBe(200);
    for (const to of ['/', '/organizations', '/journal']) expect(text).toContain(`<a href="${to}"`);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(text).toContain('width=device-width');
  }
});

test('the page of an organization shows datasets, members, usage and keys, and of a key its ends alone', async () => {
  const { key } = await invoke('maps.keys.create', { organization_id: world.organization.organization_id, key_name: 'reader of maps' });
  await invoke('maps.embedding.text', { texts: ['a ship'] });
  const { text } = await page(`/organizations/${world.organization.slug}`);
  expect(text).toContain('>ships</a>');
  expect(text).toContain('reader of maps');
  expect(text).toContain(`…${key.slice(-4)}`);
  expect(text).not.toContain(key);
  expect(text).not.toContain(world.service.adminKeys.maps);
  expect(text).toContain('svc-embed-text-v1');
  expect(text).toContain('OWNER');
  expect((await page('/organizations/none')).status).toBe(404);
});

test('names that are markup stay text on every page', async () => {
  await invoke('maps.keys.create', { organization_id: world.organization.organization_id, key_name: canary });
  await createProject(world, `evil ${canary}`, { description: canary });
  const { organization_id } = await invoke('maps.organizations.create', { nickname: canary });
  const { slug } = await invoke('maps.organizations.get', { organization_id_or_slug: organization_id });
  await tag([1], canary);
  for (const path of ['/', '/organizations', `/organizations/${slug}`, `/organizations/${world.organization.slug}`, '/journal']) {
    const { text } = await page(path);
    expect(text, path).not.toMatch(/<script>|<img src=x|onerror="/);
    expect(text, path).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  }
});

test('the journal shows what was done, the newest first, of all datasets or of one', async () => {
  const { text } = await page('/journal');
  expect(text).toMatch(/maps\.indices\.create[^]*maps\.data\.addArrow[^]*maps\.projects\.create/);
  const other = await createProject(world, 'other');
  const { text: one } = await page(`/journal?dataset=${other.project_id}`);
  expect(one).toContain('<b>other</b>');
  expect(one).not.toContain('maps.data.addArrow');
});

test('points that were selected are tagged by the operation of the API, and lose the tag by it', async () => {
  const done = await tag([3, 5, 8, 5], 'afloat');
  expect([done.status, await done.json()]).toEqual([200, { points_tagged: 3 }]);
  const { tags } = (await (await fetch(`${url}/pages/maps/${map}`)).json()) as { tags: { id: string; name: string; count: number }[] };
  const made = tags.find(({ name }) => name === 'afloat')!;
  expect(made.count).toBe(3);
  const tagged = await (await fetch(`${url}/pages/maps/${map}/tagged?tag=${made.id}`)).arrayBuffer();
  expect([...new Uint32Array(tagged)]).toEqual([3, 5, 8]);
  // The same tag takes ids through the API.
  const asked = { projection_id: map, tag_name: 'afloat', ids: ['row-3'], operation: 'remove' as const, id_field: 'id' };
  expect(await invoke('maps.tags.update', asked)).toMatchObject({ tag_id: made.id, points_tagged: 1 });
  expect(await (await tag([3, 5, 8], 'afloat', 'remove')).json()).toEqual({ points_tagged: 3 });
  expect((await page('/journal')).text).toContain(`tag/${map}/afloat`);
});

test.each([
  ['another site', { 'sec-fetch-site': 'cross-site' }, 404],
  ['a form', { 'content-type': 'text/plain' }, 415],
])('%s tags nothing', async (_, headers, status) => {
  expect((await tag([1], 'stolen', 'add', headers)).status).toBe(status);
  const { tags } = (await (await fetch(`${url}/pages/maps/${map}`)).json()) as { tags: { name: string }[] };
  expect(tags.map(({ name }) => name)).not.toContain('stolen');
});

test('a selection without a name, of nothing, or by no operation is refused', async () => {
  expect((await tag([1], ' ')).status).toBe(422);
  expect((await tag([], 'x')).status).toBe(422);
  expect((await tag([999_999], 'x')).status).toBe(422);
  expect((await tag([1], 'x', 'drop')).status).toBe(422);
});

test('a blob is shown as an image that was made anew, and what is no image is not there', async () => {
  const png = await picture(2);
  const trailing = Buffer.concat([png, Buffer.from('<script>alert(1)</script>')]);
  const { hashes } = await invoke('maps.blobs.add', { dataset_id: dataset, blobs: [new Blob([new Uint8Array(trailing)]), 'no image'] });
  const [shown, other] = await Promise.all(hashes.map((hash) => fetch(`${url}/pages/images/${dataset}/${hash}`)));
  expect([shown!.status, shown!.headers.get('content-type'), shown!.headers.get('x-content-type-options')]).toEqual([
    200,
    'image/jpeg',
    'nosniff',
  ]);
  const bytes = Buffer.from(await shown!.arrayBuffer());
  expect([bytes[0], bytes[1]]).toEqual([0xff, 0xd8]);
  expect(bytes.includes('script')).toBe(false);
  expect([other!.status, (await fetch(`${url}/pages/images/${dataset}/${'0'.repeat(64)}`)).status]).toEqual([404, 404]);
});

test('an upload that is under way stands on the page of its dataset with the parts that are here', async () => {
  const { slug } = await invoke('maps.projects.get', { project_id: dataset });
  const started = await invoke('maps.uploads.start', { dataset_id: dataset, file_type: 'feather', file_size: 5, part_size: 16_777_216 });
  expect((await page(`/data/${world.organization.slug}/${slug}`)).text).toMatch(/Uploads under way[^]*feather, 5 B[^]*0 of 1/);
  await fetch(started.part_urls[0]!.url, { method: 'PUT', body: 'bytes' });
  expect((await page(`/data/${world.organization.slug}/${slug}`)).text).toContain('1 of 1');
});

test('a hit of a search says its document with its page, or with its lines where it has no pages', async () => {
  const { project_id } = await createProject(world, 'documents');
  const rows = Array.from({ length: 24 }, (_, at) => at);
  const text = (values: (string | null)[]) => ({ type: new Utf8(), values });
  const added = await world.api.post(
    '/v1/project/data/add/arrow',
    arrowFile(
      { project_id },
      {
        id: text(rows.map(String)),
        file: text(rows.map((at) => (at % 2 === 0 ? `<b>${at}</b>.pdf` : `notes-${at}.md`))),
        page: { type: new Int32(), values: rows.map((at) => (at % 2 === 0 ? at + 1 : null)) },
        place: text(rows.map((at) => (at % 2 === 0 ? `page ${at + 1}` : `lines ${at}–${at + 2}`))),
        text: text(rows.map((at) => `ship number ${at}`)),
      },
    ),
  );
  expect(added.status).toBe(200);
  const { body } = await world.api.post('/v1/project/index/create', indexOrder(project_id));
  await built(world.api, body.job_id);
  const { results } = (await (await fetch(`${url}/pages/maps/${body.projection_id}/search?q=ship`)).json()) as {
    results: { place: string }[];
  };
  expect(results.map(({ place }) => place).toSorted()).toEqual(
    rows.map((at) => (at % 2 === 0 ? `<b>${at}</b>.pdf, page ${at + 1}` : `notes-${at}.md, lines ${at}–${at + 2}`)).toSorted(),
  );
});

describe.runIf(chromium)('in a browser', () => {
  let browser: { page: BrowserPage; close(): Promise<void> };
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  test('points that a line encircles are tagged by the form beside the map, and the API has the tag', async () => {
    const { page: shown } = browser;
    await shown.goto(`${url}/maps/${map}`);
    await shown.until("!document.getElementById('field').hidden && document.getElementById('count').textContent.includes('60')");
    await shown.value("document.getElementById('lasso').click()");
    const { x, y, width, height } = await shown.value<Record<'x' | 'y' | 'width' | 'height', number>>(
      "document.getElementById('canvas').getBoundingClientRect().toJSON()",
    );
    const at = (across: number, down: number) => ({ x: x + across * width, y: y + down * height });
    await shown.drag([at(0.01, 0.01), at(0.99, 0.01), at(0.99, 0.99), at(0.01, 0.99), at(0.01, 0.02)]);
    await shown.until("document.getElementById('selected').textContent === '60 points selected'");
    await shown.value("document.getElementById('tag-name').value = 'all of them'; document.getElementById('tag-form').requestSubmit()");
    await shown.until("document.getElementById('tag-note').textContent.includes('60 points tagged')");
    const { tags } = (await (await fetch(`${url}/pages/maps/${map}`)).json()) as { tags: { name: string; count: number }[] };
    expect(tags).toContainEqual(expect.objectContaining({ name: 'all of them', count: 60 }));
  });

  test('no page is wider than a phone, and none breaks its own policy', async () => {
    await browser.page.resize(390, 844);
    const { slug } = await invoke('maps.projects.get', { project_id: dataset });
    const { slug: organization } = world.organization;
    const lists = ['/', '/organizations', '/journal', '/schedules', '/reference/maps', '/reference/instance'];
    for (const path of [...lists, `/organizations/${organization}`, `/data/${organization}/${slug}`, `/maps/${map}`]) {
      await browser.page.goto(`${url}${path}`);
      expect(await browser.page.value('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(390);
    }
    expect(browser.page.problems).toEqual([]);
  });
});
