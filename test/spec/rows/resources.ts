import { expect } from 'vitest';
import { readyResources } from '../ready-resources.ts';
import { datasetOf, nowhere } from './made.ts';
import type { Rows } from './row.ts';

const checkpointOf = (dataset_id: string, ref = 'rows') => ({ resource_type: 'DATASET_CHECKPOINT', ref, dataset_id });

export const resources = {
  'maps.resources.create': {
    readBack: 'maps.resources.list',
    async run(at) {
      const project_id = await datasetOf(at);
      const made = await at.invoke('maps.resources.create', { project_id, resources: [checkpointOf(project_id)] });
      expect(made).toMatchObject([{ type: 'DATASET_CHECKPOINT', dataset_id: project_id }]);
      expect(await readyResources(at, project_id)).toMatchObject([{ id: made[0]!.id, status: 'COMPLETED', result: { rows: 4 } }]);
      const twice = [checkpointOf(project_id), checkpointOf(project_id)];
      expect(await at.refused(at.invoke('maps.resources.create', { project_id, resources: twice }))).toBe(422);
      expect(await at.invoke('maps.resources.list', { project_id })).toHaveLength(1);
    },
  },
  'maps.resources.list': {
    readBack: 'maps.data.rows',
    async run(at) {
      const project_id = await datasetOf(at);
      const composite_filter = {
        method: 'composition',
        conjunctor: 'ALL',
        filters: [{ method: 'range', field: 'year', range: [1901, 1902] }],
      };
      await at.invoke('maps.resources.create', { project_id, resources: [{ ...checkpointOf(project_id), composite_filter }] });
      const [checkpoint] = await readyResources(at, project_id);
      const { data } = await at.invoke('maps.data.rows', { dataset_id: project_id });
      expect(checkpoint).toMatchObject({
        result: { rows: data.filter(({ year }) => Number(year) >= 1901 && Number(year) <= 1902).length },
      });
      expect(await at.refused(at.invoke('maps.resources.list', { project_id: nowhere }))).toBe(404);
    },
  },
} satisfies Partial<Rows>;
