import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Readings } from '../../contracts/assumptions/index.ts';
import { jobsUnder } from '../prove/support-readings.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
beforeAll(async () => {
  world = await createStepWorld([], { settleMs: 300, lagMs: 3_000 });
});
afterAll(() => world[Symbol.asyncDispose]());

let slugs = 0;
const outcomes = async (readings: Partial<Readings>) => jobsUnder(world, readings, `readings-${(slugs += 1)}`);

test('under the guessed readings every job is right', async () => {
  expect((await outcomes({})).filter(({ is }) => is !== 'right')).toEqual([]);
});

test.each<Partial<Readings>>([
  {
    'readded-id': 'skipped',
    'known-ids': 'replaced',
    'same-index-name': 'refused',
    'project-list': 'first-page',
    'deletion-version': 'never',
    'range-ends': 'neither',
    'empty-all': 'none',
    'top-polarity': 'ignored',
    'select-answer': 'data-objects',
    'category-values': 'typed',
    'unknown-slug': 'forbidden',
    'second-completion': 'not-found',
    'own-neighbor': 'left-out',
  },
  {
    'readded-id': 'lost',
    'deletion-version': 'at-commit',
    counts: 'late',
    'update-start': 'late',
    'update-answer': 'word',
    'batch-caps': 'small',
    'id-field': 'optional',
    'tagged-count': 'changed',
    'tag-scope': 'map',
    'unknown-datum': 'null',
    'unknown-tag': 'accepted',
    'tag-points': 'none',
    'unknown-deletion': 'refused',
    'public-reads': 'keys',
    'version-unit': 'milliseconds',
  },
])('under %j as well', async (readings) => {
  expect((await outcomes(readings)).filter(({ is }) => is !== 'right')).toEqual([]);
});

test('what no form of words avoids is refused with its name, before anything is lost', async () => {
  const found = await outcomes({
    'search-match': 'words',
    'inverted-null': 'excluded',
    'update-operation': 'gone',
    'plain-map': 'refused',
  });
  expect(found.filter(({ is }) => is === 'wrong')).toEqual([]);
  const refusal = (job: string): string | undefined => found.find((each) => each.job === job && each.is === 'refused')?.what;
  expect(refusal('search')).toMatch(/^ReadingUnknown: the service matches whole words only/);
  expect(refusal('not, with nulls')).toMatch(/^Inconclusive: .* leaves rows with nulls out/);
  expect(refusal('replace')).toMatch(/^NotOffered: .* onChange: rebuild/);
  expect(refusal('map without vectors')).toMatch(/^NotOffered: the service builds no map without vectors .*unknown projection model/);
});

test('a deletion that is delivered again after the rows were replaced is noticed', async () => {
  const { table, newRun, control } = world;
  const rows = Array.from({ length: 40 }, (_, at) => ({ id: `k${at}`, text: `word number ${at}` }));
  const run = newRun();
  const { output: dataset } = await run.step('dataset.ensure', { slug: 'delivered-again' });
  const source = async (): Promise<object> => ({
    dataset: dataset.id,
    source: await table(rows),
    id: { column: 'id' },
    onChange: 'replace',
  });
  await run.step('dataset.append', await source());
  await run.step('index.build', { dataset: dataset.id, embed: 'text' });
  rows[3]!.text = 'another word';
  const next = newRun();
  await next.step('dataset.append', await source(), { approved: true });
  expect((await world.api.post('/v1/project/data/delete', { project_id: dataset.id, datum_ids: ['k3'] })).status).toBe(200);
  await expect(next.step('index.build', { dataset: dataset.id, embed: 'text' })).rejects.toMatchObject({
    type: 'Inconclusive',
    message: expect.stringMatching(/held 40 rows before its maps were updated and 39 after/),
  });
  expect((await control.journal(dataset.id)).summary.repeated).toBe(0);
});
