import { expect, test } from 'vitest';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const csv = (rows: number): string => `key,text\n${Array.from({ length: rows }, (_, at) => `k${at},ship ${at}`).join('\n')}\n`;

const books = (slug: string, source: string): string => `
name: books
steps:
  dataset: { use: dataset.ensure, with: { slug: ${slug} } }
  rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: ${source}, id: { column: key } } }
  map: { use: index.build, with: { dataset: "\${{ steps.dataset.id }}", embed: text } }
`;

test('a map of a new dataset with too few rows is said by plan, and by run before it sends anything; with enough it is built', async () => {
  const slug = newSlug('few');
  const says = 'a map needs at least 20 rows, and its dataset will have 4 rows at most';
  const file = await world.pipeline(books(slug, await world.write('few.csv', csv(4))));
  const planned = await world.portolan(['plan', file, '-c', 'local']);
  expect([planned.code, planned.out]).toEqual([2, expect.stringContaining(says)]);
  const { value: refused, calls } = await world.callsOf(() => world.portolan(['run', file, '-c', 'local']));
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(`map: ${says}`)]);
  expect(calls.filter((each) => /create|add/i.test(each))).toEqual([]);

  const enough = await world.run(books(slug, await world.write('enough.csv', csv(20))));
  expect(enough.result.state).toBe('done');
  // The dataset is there now, and has what a map needs.
  expect((await world.portolan(['plan', file, '-c', 'local'])).code).toBe(0);
  expect((await world.run(books(slug, 'few.csv').replace('few.csv', await world.write('few.csv', csv(4))))).result.state).toBe('done');
});
