import { expect, inject, test } from 'vitest';
import { createWorld, moviesOf, newSlug } from '../support/world.ts';

/** All kinds of steps on a server that nobody tuned: a coarser clock, the same outcome. */
test("on the Temporal server's own defaults a run waits, asks and ends as on the quick one", async () => {
  await using world = await createWorld({ defaults: true, bundle: inject('bundle') });
  const source = await world.write('movies.json', moviesOf(60));
  await world.control.fault('maps.tags.update', 1, { status: 429, retryAfter: 1 });
  const asked = await world.run(
    `
name: plain
params: { source: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  rows:
    use: dataset.append
    with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { row: true }, columns: { title: Title, gross: '"US Gross"' } }
  map: { use: index.build, with: { dataset: "\${{ steps.rows.dataset }}" } }
  all: { use: points.select, with: { map: "\${{ steps.map.id }}" } }
  ask: { use: gate.approve, needs: [all], with: {} }
  tag:
    use: points.tag
    needs: [ask]
    with: { map: "\${{ steps.map.id }}", points: "\${{ steps.all.points }}", add: seen }
outputs: { added: "\${{ steps.rows.added }}", tagged: "\${{ steps.tag.count }}" }
`,
    { source, dataset: newSlug('defaults') },
  );
  expect(asked.code).toBe(3);
  await world.portolan(['approve', asked.result.run, 'ask', '--note', 'yes']);
  const { view } = await world.ended(asked.result.run);
  expect(view).toMatchObject({ state: 'done', outputs: { added: 60, tagged: 60 } });
  expect((await world.store(view.run).events()).filter(({ kind }) => kind === 'wait')).toHaveLength(1);
  expect((await world.control.journal()).summary).toMatchObject({ repeated: 0 });
});
