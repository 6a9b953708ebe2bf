import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findGarbage, type Garbage } from '../../runs/garbage.ts';
import { removeGarbage } from '../../runs/remove-garbage.ts';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();
const day = 86_400_000;
const row = (key: string, updated: string) => ({ key, updated });
const rows = [row('a', '2024-05-01T10:00:00Z'), row('b', '2024-05-01T11:00:00Z')];

const later = (): Promise<Garbage[]> => findGarbage(world.place, { olderThanMs: 30 * day, workAfterMs: day }, Date.now() + 40 * day);
const whole = (garbage: readonly Garbage[]): string[] => garbage.flatMap(({ run, why }) => (why === 'age' ? [run] : []));
const isThere = (run: string): boolean => existsSync(join(world.place.storeRoot, run));

const append = (dataset: string): string =>
  `{ use: dataset.append, with: { dataset: "${dataset}", source: "\${{ params.source }}", id: { column: key }, since: { column: updated } }, undo: { use: api.call, with: { operation: maps.projects.list, input: {} } } }`;

async function madeDataset(name: string): Promise<string> {
  const ensure = `{ use: dataset.ensure, with: { slug: ${newSlug(name)}, idField: key } }`;
  const { result } = await world.run(`name: made\nsteps: { dataset: ${ensure} }\noutputs: { id: "\${{ steps.dataset.id }}" }\n`);
  return result.outputs['id'] as string;
}

test('rows that were taken back are read again by the next run, also where gc has come in between; then nothing keeps their runs any more', async () => {
  const source = await world.write('taken.json', rows);
  const text = `name: taken\nparams: { source: { type: path } }\nsteps:\n  rows: ${append(await madeDataset('taken'))}\noutputs: { rows: "\${{ steps.rows }}" }\n`;
  const run = async () => (await world.run(text, { source })).result;
  const first = await run();
  expect((await world.portolan(['undo', first.run])).code).toBe(0);

  const { out } = await world.portolan(['watermark', 'show', 'taken']);
  expect(out).toContain(`the next run of taken reads rows from the beginning: ${first.run} was taken back\n`);
  const json = await world.portolan(['watermark', 'show', 'taken', '--json']);
  expect(JSON.parse(json.out)).toMatchObject({ run: first.run, readsAgain: { from: null, undone: [first.run] } });

  const garbage = await later();
  expect(whole(garbage)).not.toContain(`${first.run}.undo`);
  await removeGarbage(world.place, garbage);
  expect(isThere(`${first.run}.undo`)).toBe(true);
  const again = await run();
  expect(again.outputs['rows']).toMatchObject({ rows: 2, since: { from: null } });
  expect((await world.portolan(['watermark', 'show', 'taken', '--json'])).out).not.toContain('readsAgain');
  expect(whole(await later())).toEqual(expect.arrayContaining([first.run, `${first.run}.undo`]));
});

test('so are those that the run of a step took, which was taken back with the run above it', async () => {
  const source = await world.write('beneath.json', rows);
  await world.write(
    'pipelines/below.yaml',
    `name: below\nparams: { source: { type: path } }\nsteps:\n  rows: ${append(await madeDataset('beneath'))}\noutputs: { rows: "\${{ steps.rows }}" }\n`,
  );
  const text = `name: over
params: { source: { type: path } }
steps:
  load: { use: ./below.yaml, with: { source: "\${{ params.source }}" }, undo: { use: api.call, with: { operation: maps.projects.list, input: {} } } }
outputs: { rows: "\${{ steps.load.rows }}" }
`;
  const run = async () => (await world.run(text, { source })).result;
  const first = await run();
  expect((await world.portolan(['undo', first.run])).code).toBe(0);
  const garbage = await later();
  for (const run of [`${first.run}.load`, `${first.run}.undo`]) expect(whole(garbage)).not.toContain(run);
  await removeGarbage(world.place, garbage);
  expect(isThere(`${first.run}.load`) && isThere(`${first.run}.undo`)).toBe(true);
  expect((await run()).outputs['rows']).toMatchObject({ rows: 2, since: { from: null } });
});
