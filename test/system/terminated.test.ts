import { expect, test } from 'vitest';
import { readRun } from '../../runs/view.ts';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const gated = `
name: terminated
params: { key: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.key }}" } }
  ask: { use: gate.approve, needs: [dataset], with: { expires: 1h } }
`;

// Its history ends with events that no workflow task has begun with.
test('a run that was terminated while no worker was there shows what it has done', async () => {
  const run = await world.start(gated, { key: newSlug('terminated') });
  await world.until(run, ({ view }) => view.state === 'approval');
  await world.worker.stop();
  try {
    const handle = world.client.workflow.getHandle(run);
    await handle.cancel();
    await handle.terminate();
  } finally {
    await world.worker.start();
  }
  // The first look: it replays the run, and keeps how it ended for the next. A busy machine takes its time.
  const { view, source } = await readRun(world.place, await world.locate(run), { answerMs: 120_000 });
  expect(source).toBe('result');
  expect(view.steps.map(({ id, status }) => [id, status])).toEqual(expect.arrayContaining([['dataset', 'done']]));
  const dry = await world.portolan(['undo', run, '--dry-run']);
  expect(dry.out).toContain('dataset');
});
