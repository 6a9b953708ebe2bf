import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { readDevFile } from '../../config/dev-file.ts';
import { limitingNow } from '../../runs/limiting.ts';
import { watchRun } from '../../runs/watch.ts';
import { createStack } from '../support/stack.ts';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const ingest = `
name: ingest
params: { slug: { type: string }, source: { type: string } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.slug }}", idField: id } }
  rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: id } } }
outputs: { added: "\${{ steps.rows.added }}" }
`;

/** Starts an ingest, takes something away while its first call is held, and shows what the run waits for before it comes back. */
async function withoutFor(path: string): Promise<{ says: string; state: string; added: unknown }> {
  const source = await world.write('rows.csv', 'id,text\na,one\nb,two\n');
  const { id: fault } = await world.control.fault('maps.projects.create', 1, { hold: 'after' });
  const id = await world.start(ingest, { slug: newSlug('missing'), source });
  expect(await world.control.held(fault)).toBe(true);
  const location = await world.locate(id);
  await rename(path, `${path}.away`);
  await world.control.release(fault);
  let says = '';
  for await (const snapshot of watchRun(world.place, location, { minMs: 50 })) {
    const missing = limitingNow(snapshot).find(({ cause }) => cause === 'missing');
    if (missing) {
      says = missing.text;
      break;
    }
  }
  await rename(`${path}.away`, path);
  const { view } = await world.ended(id);
  return { says, state: view.state, added: view.outputs?.['added'] };
}

test('a run whose store is gone for a while waits, says so, and ends well', async () => {
  const { says, ...ended } = await withoutFor(world.place.storeRoot);
  expect(says).toMatch(/^rows\/prepare waits, no attempt used: the run store .*runs is not there: mount it/);
  expect(ended).toEqual({ state: 'done', added: 2 });
});

test("a secret's file that is gone for a while is waited for", async () => {
  const { says, ...ended } = await withoutFor(readDevFile(world.state)!.service.keyFiles.maps);
  expect(says).toMatch(/waits, no attempt used: connection 'local': there is no file /);
  expect(ended).toEqual({ state: 'done', added: 2 });
});

test('portolan dev that is not running is waited for', async () => {
  const { says, ...ended } = await withoutFor(join(world.state, 'dev.json'));
  expect(says).toMatch(/waits, no attempt used: connection 'local': portolan dev is not running/);
  expect(ended).toEqual({ state: 'done', added: 2 });
});

test('runs are worked on where their store is, whichever other workers the same Temporal server has', async () => {
  await using other = await createStack({ temporal: inject('temporal'), bundle: inject('bundle') });
  expect(other.taskQueue).not.toBe(world.taskQueue);
  const source = await world.write('rows.csv', 'id,text\na,one\nb,two\n');
  const ids = await Promise.all([1, 2, 3].map(() => world.start(ingest, { slug: newSlug('queue'), source })));
  for (const id of ids) {
    expect((await world.ended(id)).view.state).toBe('done');
    const workers = (await world.events(id)).flatMap(({ activityTaskStartedEventAttributes: started }) => started?.identity ?? []);
    expect(workers.length).toBeGreaterThan(2);
    expect(new Set(workers.map((identity) => identity.split('@')[0]))).toEqual(new Set([String(world.worker.pid())]));
  }
});
