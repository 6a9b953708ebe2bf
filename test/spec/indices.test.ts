import { expect } from 'vitest';
import { addRows, built, createMap, createProject, indexOrder } from '../service/world.ts';
import { everyPoint, everything, matched } from './map-points.ts';
import { updateMaps, usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

proves(
  ['maps:POST /v1/project/index/create.1'],
  'the order of an index returns the id of the job that builds it, which is followed to its end by that id',
  async () => {
    const { calls, api } = place();
    const { project_id } = await createProject(place(), 'indexed');
    await addRows(api, project_id, 25);
    const orders = [indexOrder(project_id, { index_name: 'first' }), indexOrder(project_id, { index_name: 'second' })];
    const jobs: string[] = [];
    for (const order of orders) {
      const { job_id } = await calls.invoke('maps.indices.create', order);
      jobs.push(job_id);
      const { id, index_id } = await calls.invoke('maps.indices.job', { job_id });
      expect(id).toBe(job_id);
      const { atlas_indices } = await calls.invoke('maps.projects.get', { project_id });
      expect(atlas_indices.find((index) => index.id === index_id)?.index_name).toBe(order.index_name);
      expect(await built(api, job_id)).toBe('Completed');
      expect((await calls.invoke('maps.indices.job', { job_id })).job_end_timestamp).toEqual(expect.any(String));
    }
    expect(new Set(jobs).size).toBe(2);
  },
);

proves(
  ['maps:POST /v1/project/update_indices.1'],
  'rows that were added since are in no map until the indices of the dataset are updated, and then in all of them',
  async () => {
    const { calls, api } = place();
    const { project_id, map } = await createMap(place(), everyPoint.length);
    const second = await calls.invoke('maps.indices.create', indexOrder(project_id, { index_name: 'second' }));
    await built(api, second.job_id);
    const maps = [map, String(second.projection_id)];
    await addRows(api, project_id, 3, { from: 60 });
    for (const each of maps) expect(await matched(place(), each, everything)).toEqual(everyPoint);
    await updateMaps(place().calls, project_id);
    for (const each of maps) expect(await matched(place(), each, everything)).toEqual([...everyPoint, 60, 61, 62]);
    // They have vectors of their own now, by which they are found.
    const search = { projection_id: map, k: 1, fields: ['id'], query: 'wheel number 61' };
    expect((await api.post('/v1/query/topk', search)).body.data).toMatchObject([{ id: 'row-61' }]);
  },
);
