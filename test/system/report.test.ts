import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const pipeline = `
name: shown
params: { source: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  rows: { use: dataset.append, window: 1, with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: key } } }
`;

test('a run with a closed limit and a killed worker: what status and report show of it', async () => {
  const source = await world.write(
    'wide.json',
    Array.from({ length: 24_000 }, (_, n) => ({ key: `k${n}`, word: `word ${n}` })),
  );
  await world.control.fault('maps.data.addArrow', 1, { status: 429, retryAfter: 1 });
  // The second chunk's call, after the refused one and its repeat.
  const held = await world.control.fault('maps.data.addArrow', 3, { hold: 'before' });
  const run = await world.start(pipeline, { source, dataset: newSlug('shown') });
  expect(await world.control.held(held.id)).toBe(true);

  const { view } = await world.until(run, ({ view: { steps } }) => steps[1]?.chunks?.acknowledged === 1);
  expect(view.steps[1]).toMatchObject({ progress: { done: 10_000, total: 24_000, unit: 'items' }, chunks: { total: 3, open: [1] } });
  const status = JSON.parse((await world.portolan(['status', run, '--json'])).out) as Record<string, any>;
  expect(status['progress']['rows']).toMatchObject({
    done: 10_000,
    total: 24_000,
    bytes: expect.any(Number),
    perSecond: expect.any(Number),
    bytesPerSecond: expect.any(Number),
    etaMs: expect.any(Number),
  });
  expect(status['waits']).toMatchObject([{ cause: 'maps/data', calls: 1 }]);

  await world.worker.kill();
  await world.control.release(held.id);
  await world.worker.start(0);
  expect((await world.ended(run)).view.state).toBe('done');

  const chunks = (await world.store(run).events()).filter(({ kind }) => kind === 'chunk');
  expect(chunks.map(({ step, chunk, items, attempt }) => [step, chunk, items, attempt])).toEqual([
    // The refused one only waited; the killed one is an attempt that failed.
    ['rows', 0, 10_000, 1],
    ['rows', 1, 10_000, 2],
    ['rows', 2, 4_000, 1],
  ]);
  expect(chunks.every(({ bytes, ms }) => bytes! > 10_000 && ms! > 0)).toBe(true);

  expect((await world.portolan(['report', run])).code).toBe(0);
  const page = await readFile(world.store(run).path('report.html'), 'utf8');
  for (const part of ['<dt>workers lost</dt><dd>1</dd>', 'worker lost, taken up again at', 'maps/data', 'bar done chunks', '3 chunks in'])
    expect(page).toContain(part);
});

test('control: a run that lost nothing shows no loss', async () => {
  const source = await world.write('few.json', [{ key: 'a', word: 'x' }]);
  const { result } = await world.run(pipeline, { source, dataset: newSlug('shown') });
  const page = await readFile(world.store(result.run).path('report.html'), 'utf8');
  expect(page).not.toContain('workers lost');
  expect(page).not.toContain('title="worker lost');
});
