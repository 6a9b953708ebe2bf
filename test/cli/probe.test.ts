import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPermits } from '../../client/permits.ts';
import { configurationOf, findReadings } from '../../cli/probe/find-readings.ts';
import { tuningOf } from '../../config/tuning.ts';
import { assumptionNames, assumptions, guessedReadings, type Readings } from '../../contracts/assumptions/index.ts';
import { createMap, createWorld, type World } from '../service/world.ts';

let world: World;
let url: string;
beforeAll(async () => {
  world = await createWorld();
  ({ url } = await world.service.listen());
  const { project_id } = await createMap(world);
  await world.api.post(`/v1/project/update?project_id=${project_id}`, { id: project_id, is_public: true });
});
afterAll(() => world[Symbol.asyncDispose]());

async function probed(readings: Partial<Readings>, scratch: boolean): Promise<Record<string, string | undefined>> {
  await world.api.post('/__control/readings/reset', {}, { 'content-type': 'application/json' });
  await world.api.post('/__control/readings', readings, { 'content-type': 'application/json' });
  const token = world.service.adminKeys.maps;
  const connection = {
    name: 'here',
    hosted: false,
    url,
    token: async () => token,
    limits: {},
    key: { place: 'here', digest: () => undefined },
    tuning: tuningOf({}, false),
  };
  const lines = await findReadings(connection, {
    permits: createPermits(),
    scratch,
    report: () => undefined,
    signal: new AbortController().signal,
  });
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
    'deletion-version': 'never',
    'version-unit': 'milliseconds',
    counts: 'late',
    'unknown-datum': 'null',
    'row-times': 'iso-unzoned',
    'tagged-count': 'changed',
    'unknown-tag': 'accepted',
    'unknown-deletion': 'refused',
    'second-removal': 'not-found',
    'removed-slug': 'held',
  };
  expect(await probed(first, true)).toMatchObject(first);
  const second: Partial<Readings> = { 'readded-id': 'lost', 'deletion-version': 'at-commit', 'unknown-datum': 'unnamed' };
  const guesses = guessedReadings();
  const guessed = Object.fromEntries(shown('scratch').map((name) => [name, guesses[name]]));
  expect(await probed(second, true)).toMatchObject({ ...guessed, ...second });
  const third: Partial<Readings> = { 'update-operation': 'gone', 'row-times': 'epoch-ms' };
  expect(await probed(third, true)).toMatchObject(third);
  const { projects } = (await world.api.get('/v1/project/')).body;
  expect(projects.filter(({ slug }: { slug: string }) => slug.startsWith('portolan-probe'))).toEqual([]);
});

test('what was found is offered as lines of the configuration', () => {
  expect(
    configurationOf('prod', [
      { name: 'range-ends', reading: 'lower' },
      { name: 'distance', unknown: 'cannot be known' },
    ]),
  ).toBe("connections.prod.maps.readings: {\n  'range-ends': 'lower',\n}");
});
