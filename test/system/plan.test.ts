import { expect, test } from 'vitest';
import { documents } from '../../cli/json/documents.ts';
import { outsideOf, plannedOf, type Counted, type Held } from '../support/held-against.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const words = ['ship', 'harbour', 'storm', 'bread'];
const csv = `key,text\n${Array.from({ length: 60 }, (_, at) => `k${at},${words[at % 4]} ${at}`).join('\n')}\n`;

const ingest = (slug: string, source: string): string => `
name: planned
steps:
  dataset: { use: dataset.ensure, with: { slug: ${slug} } }
  rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: ${source}, id: { column: key } } }
  map: { use: index.build, with: { dataset: "\${{ steps.dataset.id }}", embed: text } }
  ships: { use: points.select, with: { map: "\${{ steps.map.id }}", where: { search: text, for: ship } } }
  tag: { use: points.tag, with: { map: "\${{ steps.map.id }}", points: "\${{ steps.ships.points }}", add: ships } }
`;

const planOf = async (text: string, ...more: string[]): Promise<Counted> =>
  JSON.parse((await world.portolan(['plan', await world.pipeline(text), '-c', 'local', '--json', ...more])).out) as Counted;

/** Bounds of an operation over all steps. */
const bounds = (planned: Counted, operation: string): unknown[] => {
  const { min, max } = plannedOf(planned).get(operation)!;
  return [min, max];
};

/** Runs a pipeline; operations of which the run sent other numbers than were planned. */
async function outside(text: string, planned: Counted): Promise<Held[]> {
  const { value, calls } = await world.callsOf(() => world.run(text));
  expect(value.result.state).toBe('done');
  // The first is the command's own look at the key.
  return outsideOf(planned, calls.slice(1));
}

test('a run sends what was planned: of a new dataset whose slug another organization has too, and of the same again', async () => {
  const slug = 'planned-twice';
  const source = await world.write('planned.csv', csv);
  const { organization_id } = await world.api.organizations.create({ nickname: 'Elsewhere' });
  await world.api.projects.create({ organization_id, project_name: slug, slug });

  const text = ingest(slug, source);
  const first = await planOf(text);
  expect(['maps.projects.create', 'maps.data.addArrow', 'maps.indices.create'].map((each) => bounds(first, each))).toEqual([
    [1, 1],
    [1, 1],
    [1, 1],
  ]);
  expect(await outside(text, first)).toEqual([]);

  const second = await planOf(text);
  expect(['maps.projects.create', 'maps.data.addArrow'].map((each) => bounds(second, each))).toEqual([
    [0, 0],
    [0, 1],
  ]);
  expect(await outside(text, second)).toEqual([]);
  expect(await outside(text, await planOf(text, '--offline'))).toEqual([]);
});

test('a plan of several datasets asks once for what their organization has', async () => {
  const ensure = (...slugs: string[]): string =>
    `name: several\nsteps:\n${slugs.map((slug, at) => `  at${at}: { use: dataset.ensure, with: { slug: ${slug} } }\n`).join('')}`;
  const one = await world.callsOf(() => planOf(ensure('several-a')));
  const two = await world.callsOf(() => planOf(ensure('several-a', 'several-b')));
  expect(one.calls).toContain('maps.user.get');
  expect(two.calls.toSorted()).toEqual([...one.calls, 'maps.projects.bySlug'].sort());
});

test('a plan that asks nobody holds for a dataset that is there, and for its map', async () => {
  const text = ingest('planned-offline', await world.write('offline.csv', csv));
  expect(await outside(text, await planOf(text, '--offline'))).toEqual([]);
  const { projects } = await world.api.projects.list({});
  const id = projects.find(({ slug }) => slug === 'planned-offline')!.id;
  await world.run(ingest('planned-offline', await world.write('more.csv', `${csv}k60,ship 60\n`)).split('  map:')[0]!);
  const build = `name: build\nsteps:\n  map: { use: index.build, with: { dataset: ${id}, embed: text } }\n`;
  expect(await outside(build, await planOf(build))).toEqual([]);
});

test('a run that is over is held against its plan: what it has sent of each operation, and what was planned', async () => {
  const text = ingest('planned-compared', await world.write('compared.csv', csv)).split('  ships:')[0]!;
  const { value, calls } = await world.callsOf(() => world.run(text));
  const { run } = value.result;
  const shown = await world.portolan(['plan', '--compare', run, '--json']);
  expect(shown.code).toBe(0);
  const found = documents.comparison.schema.parse(JSON.parse(shown.out));
  expect(found.outside).toBe(0);
  const sent = found.steps.flatMap((step) => step.calls);
  const sum = (operation: string): number => sent.reduce((all, each) => all + (each.operation === operation ? each.sent : 0), 0);
  // The first is the command's own look at the key.
  for (const operation of new Set(calls))
    expect([operation, sum(operation)]).toEqual([operation, calls.slice(1).filter((each) => each === operation).length]);
  expect(sent.find(({ operation }) => operation === 'maps.data.addArrow')).toMatchObject({ sent: 1, max: 1 });
  expect((await world.portolan(['plan', '--compare', run])).out).toContain('within the plan');
});
