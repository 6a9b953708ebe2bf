import { afterAll, beforeAll, expect, test } from 'vitest';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPermits } from '../../client/permits.ts';
import { configurationOf, findReadings } from '../../cli/probe/find-readings.ts';
import { tuningOf } from '../../config/tuning.ts';
import { assumptionNames, assumptions, guessedReadings, type Readings } from '../../contracts/assumptions/index.ts';
import type { Service } from '../../contracts/index.ts';
import { callsOf, createMap, createProject, createWorld, type World } from '../service/world.ts';

let world: World;
let url: string;
beforeAll(async () => {
  world = await createWorld();
  ({ url } = await world.service.listen());
  const { project_id } = await createMap(world);
  for (let at = 0; at < 3; at++) await createProject(world, `other-${at}`);
  await world.api.post(`/v1/project/update?project_id=${project_id}`, { id: project_id, is_public: true });
  const { invoke } = callsOf(world, world.service.adminKeys.instance);
  for (let at = 0; at < 2; at++) await invoke('instance.agents.launch', { prompt: { text: 'Summarise: ships sail.' } });
});
afterAll(() => world[Symbol.asyncDispose]());

type At = { url?: string; organization?: string };

async function probed(readings: Partial<Readings>, scratch: boolean, at: At = {}): Promise<Record<string, string | undefined>> {
  await world.api.post('/__control/readings/reset', {}, { 'content-type': 'application/json' });
  await world.api.post('/__control/readings', readings, { 'content-type': 'application/json' });
  const reached = (service: Service) => ({
    connection: {
      name: 'here',
      hosted: false,
      url,
      token: async () => world.service.adminKeys[service],
      limits: {},
      key: { place: 'here', digest: () => undefined },
      tuning: tuningOf({}, false),
      ...(service === 'maps' ? at : {}),
    },
    permits: createPermits(),
  });
  const lines = await findReadings(
    { maps: reached('maps'), instance: reached('instance') },
    { scratch, report: () => undefined, signal: new AbortController().signal },
  );
  expect(lines.map(({ name }) => name)).toEqual(assumptionNames);
  return Object.fromEntries(lines.map(({ name, reading }) => [name, reading]));
}

const shown = (probe: 'read' | 'scratch') => assumptionNames.filter((name) => assumptions[name].probe === probe);

test('reads alone find the guesses of a service that took them, write nothing, and say what they do not show', async () => {
  const effects = async (): Promise<number> => (await world.api.get('/__control/journal')).body.rows.length;
  const before = await effects();
  const found = await probed({}, false);
  const guesses = guessedReadings();
  for (const name of shown('read')) expect([name, found[name]]).toEqual([name, guesses[name]]);
  for (const name of shown('scratch')) expect([name, found[name]]).toEqual([name, undefined]);
  expect(await effects()).toBe(before);
});

test('each other reading that shows by reads is found', async () => {
  const others: Partial<Readings> = {
    'empty-all': 'none',
    'range-ends': 'neither',
    'top-polarity': 'ignored',
    'search-match': 'words',
    'select-answer': 'data-objects',
    'topk-answer': 'list',
    'unknown-slug': 'forbidden',
    'health-answer': 'text',
    'public-reads': 'keys',
    'project-list': 'first-page',
    'agent-order': 'oldest',
    'absent-values': 'left-out',
    'unknown-jurisdiction': 'not-found',
  };
  expect(await probed(others, false)).toMatchObject(others);
  expect(await probed({ 'empty-all': 'refused', 'range-ends': 'lower', 'health-answer': 'empty' }, false)).toMatchObject({
    'empty-all': 'refused',
    'range-ends': 'lower',
    'health-answer': 'empty',
  });
});

test('writes to a scratch dataset find the others, and leave no dataset behind', async () => {
  const first: Partial<Readings> = {
    'readded-id': 'skipped',
    'known-ids': 'replaced',
    'same-index-name': 'refused',
    'deletion-version': 'never',
    'version-unit': 'milliseconds',
    counts: 'late',
    'unknown-datum': 'null',
    'row-times': 'iso-unzoned',
    'tagged-count': 'changed',
    'tag-scope': 'map',
    'unknown-tag': 'accepted',
    'tag-points': 'none',
    'unknown-deletion': 'refused',
    'second-removal': 'not-found',
    'removed-slug': 'held',
  };
  expect(await probed(first, true)).toMatchObject(first);
  const second: Partial<Readings> = {
    'same-index-name': 'existing',
    'known-ids': 'refused',
    'readded-id': 'lost',
    'deletion-version': 'at-commit',
    'unknown-datum': 'unnamed',
  };
  const guesses = guessedReadings();
  const guessed = Object.fromEntries(shown('scratch').map((name) => [name, guesses[name]]));
  expect(await probed(second, true)).toMatchObject({ ...guessed, ...second });
  const third: Partial<Readings> = { 'update-operation': 'gone', 'row-times': 'epoch-ms' };
  expect(await probed(third, true)).toMatchObject(third);
  const { projects } = (await world.api.get('/v1/project/')).body;
  expect(projects.filter(({ slug }: { slug: string }) => slug.startsWith('portolan-probe'))).toEqual([]);
});

test('a commit that comes late is waited for', async () => {
  const late = { 'update-start': 'late', 'readded-id': 'lost', 'deletion-version': 'at-commit' } as const;
  expect(await probed(late, true)).toMatchObject({ 'readded-id': 'lost', 'deletion-version': 'at-commit' });
});

test('an organization that the key does not belong to is refused before anything is written', async () => {
  const rows = async (): Promise<number> => (await world.api.get('/__control/journal')).body.rows.length;
  const before = await rows();
  await expect(probed({}, true, { organization: 'nobody' })).rejects.toMatchObject({
    message: expect.stringContaining("names organization 'nobody'"),
    remedy: expect.stringContaining(world.organization.slug),
  });
  expect(await rows()).toBe(before);
});

test('what stays behind is named where it could not be removed', async () => {
  await world.api.post(
    '/__control/faults',
    { operation: 'maps.projects.remove', nth: 1, do: { status: 403 } },
    { 'content-type': 'application/json' },
  );
  await expect(probed({ 'update-operation': 'gone' }, true)).rejects.toMatchObject({
    message: expect.stringMatching(/the scratch dataset portolan-probe-\S+ is still there \([0-9a-f-]{36}\)/),
    remedy: expect.stringContaining('maps.projects.remove'),
  });
  const { projects } = (await world.api.get('/v1/project/')).body;
  for (const { id: project_id, slug } of projects)
    if (slug.startsWith('portolan-probe')) await world.api.post('/v1/project/remove', { project_id });
});

/** The service behind another address: below `prefix`, with `instead` given where it takes a path. */
async function behind(prefix: string, instead: (path: string) => string | undefined): Promise<Server> {
  const front = createServer(async (request, response) => {
    if (!request.url!.startsWith(`${prefix}/v1/`)) return response.writeHead(404).end();
    const path = request.url!.slice(prefix.length);
    const page = instead(path);
    if (page !== undefined) return response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    const { method, headers } = request;
    const body = method === 'GET' ? null : Buffer.concat(await request.toArray());
    const { authorization } = headers;
    const answer = await fetch(`${url}${path}`, {
      method: method!,
      headers: { ...(authorization && { authorization }), 'content-type': 'application/json' },
      body,
    });
    return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(Buffer.from(await answer.arrayBuffer()));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => front.once('listening', resolve));
  return front;
}
const originOf = (front: Server): string => `http://127.0.0.1:${(front.address() as AddressInfo).port}`;

test('a page of HTML is no reading of health', async () => {
  const front = await behind('', (path) => (path.startsWith('/v1/health') ? '<html>up</html>' : undefined));
  try {
    const found = await probed({}, false, { url: originOf(front) });
    expect([found['health-answer'], found['select-answer']]).toEqual([undefined, 'ids']);
  } finally {
    front.close();
  }
});

test('what is read without a key is read below the base URL of the connection too', async () => {
  const front = await behind('/maps/api', () => undefined);
  try {
    for (const path of ['/maps/api', '/maps/api/'])
      for (const reads of ['everybody', 'keys'] as const)
        expect(await probed({ 'public-reads': reads }, false, { url: originOf(front) + path })).toMatchObject({ 'public-reads': reads });
  } finally {
    front.close();
  }
});

test('what was found is offered as lines of the configuration', () => {
  expect(
    configurationOf('prod', [
      { name: 'range-ends', reading: 'lower' },
      { name: 'distance', unknown: 'cannot be known' },
    ]),
  ).toBe("connections.prod.maps.readings: {\n  'range-ends': 'lower',\n}");
});
