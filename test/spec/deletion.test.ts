import { expect } from 'vitest';
import { createMap } from '../service/world.ts';
import { everything, everyPoint, matched } from './map-points.ts';
import { refusalOf, updateMaps, usePlace, type Place } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

type Made = { project_id: string; map: string; index_id: string };

const mapOf = async ({ calls, ...world }: Place): Promise<Made> => {
  const { project_id, map, job } = await createMap(world, everyPoint.length);
  return { project_id, map, index_id: (await calls.invoke('maps.indices.job', { job_id: job })).index_id };
};

/** What the reads of a dataset and of its map show of all and of one point. */
const shown = async ({ calls, ...world }: Place, { project_id, map, index_id }: Made, point: string) => {
  const { total_datums_in_project, maps } = await calls.invoke('maps.projects.get', { project_id });
  const text = { projection_id: map, k: 60, fields: ['id'], query: 'ship' };
  const found = await calls.invoke('maps.query.topk', text);
  const there = async (read: Promise<unknown>): Promise<boolean> =>
    read.then(
      () => true,
      () => false,
    );
  return {
    rows: total_datums_in_project,
    inMap: maps.map((each) => each.total_data_points),
    selected: (await matched({ calls, ...world }, map, everything)).length,
    searched: (Array.isArray(found) ? found : found.data).length,
    datum: await there(calls.invoke('maps.data.get', { project_id, datum_ids: [point] })),
    atom: await there(calls.invoke('maps.data.atoms', { project_id, index_id, atom_ids: [point] })),
  };
};

const whole = { rows: 60, inMap: [60], selected: 60, searched: 60, datum: true, atom: true };

proves(['maps:POST /v1/project/data/delete.1'], 'deleted datums are gone with their atoms, and the others stay', async () => {
  const made = await mapOf(place());
  const { project_id, map, index_id } = made;
  const { calls } = place();
  const atom_ids = ['row-7', 'row-30'];
  expect(Object.keys((await calls.invoke('maps.data.atoms', { project_id, index_id, atom_ids })).atoms)).toEqual(atom_ids);
  await calls.invoke('maps.data.delete', { project_id, datum_ids: ['row-7', 'row-8'] });
  await updateMaps(place().calls, project_id);
  expect(await matched(place(), map, everything)).toEqual(everyPoint.filter((point) => point !== 7 && point !== 8));
  expect((await refusalOf(calls.invoke('maps.data.get', { project_id, datum_ids: ['row-7', 'row-30'] }))).body).toMatch(/: row-7"/);
  expect((await refusalOf(calls.invoke('maps.data.atoms', { project_id, index_id, atom_ids }))).body).toMatch(/: row-7"/);
  expect((await calls.invoke('maps.data.atoms', { project_id, index_id, atom_ids: ['row-30'] })).atoms).toHaveProperty('row-30');
});

proves(
  ['maps:POST /v1/project/data/delete.2'],
  'a deletion shows neither in the dataset nor in its maps until the indices are updated',
  async () => {
    const made = await mapOf(place());
    expect(await shown(place(), made, 'row-7')).toEqual(whole);
    await place().calls.invoke('maps.data.delete', { project_id: made.project_id, datum_ids: ['row-7', 'row-8'] });
    expect(await shown(place(), made, 'row-7')).toEqual(whole);
    await updateMaps(place().calls, made.project_id);
    expect(await shown(place(), made, 'row-7')).toEqual({ rows: 58, inMap: [58], selected: 58, searched: 58, datum: false, atom: false });
    expect(await shown(place(), made, 'row-9')).toMatchObject({ datum: true, atom: true });
  },
);
