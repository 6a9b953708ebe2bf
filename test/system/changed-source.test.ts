import { appendFile, truncate, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { inspectActivity } from '../../pipelines/plan.ts';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const load = (use: string): string => `
name: changing
params:
  source: { type: path }
  dataset: { type: slug }
steps:
  dataset:
    use: dataset.ensure
    with: { slug: "\${{ params.dataset }}" }
  rows:
    use: ${use}
    with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: id } }
`;

const csv = (rows: number): string => `id,n\n${Array.from({ length: rows }, (_, at) => `k${at},${at}`).join('\n')}\n`;

const changes: [string, (path: string) => Promise<void>][] = [
  ['cut off', (path) => truncate(path, 200)],
  ['grown', (path) => appendFile(path, 'k999,999\n')],
  ['written again', (path) => writeFile(path, csv(100).replace('k7,7', 'k7,8'))],
];

test.each(changes.flatMap(([how, change]) => ['dataset.append', 'dataset.upload'].map((use) => [use, how, change] as const)))(
  '%s refuses a source that is %s between its inspection and its reading; no row is sent',
  async (use, how, change) => {
    const source = await world.write(`${use}-${how}.csv`.replaceAll(' ', '-'), csv(100));
    const { id } = await world.control.fault('maps.projects.create', 1, { hold: 'before' });
    const run = await world.start(load(use), { source, dataset: newSlug('changing') });
    expect(await world.control.held(id)).toBe(true);
    await change(source);
    await world.control.release(id);
    const { view } = await world.ended(run);
    expect(view).toMatchObject({ state: 'failed', error: { type: 'BadInput', step: 'rows' } });
    expect(view.error!.message).toMatch(/changed since the run started \(\d+ bytes then, \d+ now\); nothing was sent/);
    const { total_datums_in_project } = await world.api.projects.get({ project_id: (view.steps[0]!.output as { id: string }).id });
    expect(total_datums_in_project).toBe(0);
  },
);

test('the inspection of the sources has the time of the step that reads them', async () => {
  const timed = load('dataset.append').replace('use: dataset.append', 'use: dataset.append\n    timeout: 7m');
  const { result } = await world.run(timed, { source: await world.write('timed.csv', csv(3)), dataset: newSlug('timed') });
  expect(result.state).toBe('done');
  const inspections = (await world.events(result.run)).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
    scheduled?.activityType?.name === inspectActivity ? [scheduled] : [],
  );
  expect(inspections.map((each) => [Number(each.startToCloseTimeout?.seconds), Number(each.scheduleToCloseTimeout?.seconds)])).toEqual([
    [420, 420],
  ]);
});
