import { expect, test } from 'vitest';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const below = `
name: below
params: { key: { type: slug } }
steps:
  ask: { use: gate.approve, with: { expires: 1h } }
  dataset: { use: dataset.ensure, needs: [ask], with: { slug: "\${{ params.key }}" } }
`;
const above = `
name: above
params: { key: { type: slug } }
steps:
  first: { use: dataset.ensure, with: { slug: "\${{ params.key }}-first" } }
  one: { use: ./below.yaml, needs: [first], with: { key: "\${{ params.key }}" } }
`;

test('a run that was terminated is neither continued nor undone while a run of its steps goes on', async () => {
  await world.write('pipelines/below.yaml', below);
  const run = await world.start(above, { key: newSlug('terminated-above') });
  const child = `${run}.one`;
  await world.until(child, ({ view }) => view.state === 'approval');
  await world.client.workflow.getHandle(run).terminate();
  await world.ended(run);
  for (const refused of [await world.portolan(['rerun', run, '--detach']), await world.portolan(['undo', run, '--dry-run'])]) {
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(`run ${child}, which run ${run} has begun, has not ended`);
    expect(refused.err).toContain(`portolan cancel ${child}`);
  }
  await world.portolan(['cancel', child]);
  await world.ended(child);
  const dry = await world.portolan(['undo', run, '--dry-run']);
  expect(dry.out).toContain('first');
});
