import { Int32, Utf8 } from 'apache-arrow';
import { expect } from 'vitest';
import { changedAt } from '../../contracts/maps/coverage.ts';
import { addRows, arrowFile, createProject } from '../service/world.ts';
import { usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

const dataset = async (name: string): Promise<string> => (await createProject(place(), name)).project_id;

/** People of a dataset, as one Arrow file. */
const people = (project_id: string, ...rows: [id: string, name: string, age: number][]): Uint8Array =>
  arrowFile(
    { project_id },
    {
      id: { type: new Utf8(), values: rows.map(([id]) => id) },
      name: { type: new Utf8(), values: rows.map(([, name]) => name) },
      age: { type: new Int32(), values: rows.map(([, , age]) => age) },
    },
  );

proves(['maps:POST /v1/project/data/add/arrow.1'], 'an Arrow file adds its rows to the dataset that it names', async () => {
  const { calls, api } = place();
  const [project_id, untouched] = [await dataset('people'), await dataset('nobody')];
  const rowsOf = async (id: string) => (await calls.invoke('maps.projects.get', { project_id: id })).total_datums_in_project;
  await calls.invoke('maps.data.addArrow', { body: people(project_id, ['a', 'Ada', 36], ['b', 'Grace', 85]) });
  await calls.invoke('maps.data.addArrow', { body: people(project_id, ['c', 'Émilie', 42]) });
  expect((await calls.invoke('maps.data.get', { project_id, datum_ids: ['c', 'a', 'b'] })).datums).toEqual([
    { id: 'c', name: 'Émilie', age: 42 },
    { id: 'a', name: 'Ada', age: 36 },
    { id: 'b', name: 'Grace', age: 85 },
  ]);
  expect([await rowsOf(project_id), await rowsOf(untouched)]).toEqual([3, 0]);
  // Rows in another form are none.
  const json = new TextEncoder().encode(JSON.stringify({ project_id, rows: [{ id: 'd', name: 'Mary', age: 91 }] }));
  expect((await api.post('/v1/project/data/add/arrow', json)).status).toBe(422);
  expect(await rowsOf(project_id)).toBe(3);
});

proves(
  ['maps:GET /v1/project/{dataset_id}/last_modified.1'],
  'last_modified is the time of the last change of the dataset: each moves it, and nothing else does',
  async () => {
    const { calls, api } = place();
    const project_id = await dataset('changing');
    const modified = async () => changedAt(await calls.invoke('maps.data.lastModified', { dataset_id: project_id })) ?? 0;
    const times: number[] = [];
    for (const from of [0, 10, 20]) {
      const { body } = await addRows(api, project_id, 10, { from });
      times.push(await modified());
      expect(times.at(-1)).toBe(changedAt(body));
    }
    await calls.invoke('maps.data.delete', { project_id, datum_ids: ['row-3'] });
    times.push(await modified());
    expect(new Set(times).size).toBe(4);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    // A time of the clock, whatever its unit, and no mere number of changes.
    const hour = 3_600_000;
    expect(Math.abs(times[0]! - Date.now())).toBeLessThan(hour);
    await calls.invoke('maps.data.get', { project_id, datum_ids: ['row-1'] });
    await addRows(api, await dataset('another'), 10);
    expect(await modified()).toBe(times[3]);
  },
);
