import { expect } from 'vitest';
import { settled, updateMaps } from '../place.ts';
import { datasetOf, mapOf, nowhere } from './made.ts';
import type { Rows } from './row.ts';

export const indices = {
  'maps.indices.create': {
    readBack: 'maps.projects.get',
    async run(at) {
      const project = await datasetOf(at, 30);
      const { job_id, projection_id } = await at.invoke('maps.indices.create', at.indexOrder(project, { index_name: 'of texts' }));
      const { index_id } = await at.invoke('maps.indices.job', { job_id });
      const { atlas_indices } = await settled(at, project);
      expect(atlas_indices).toMatchObject([
        { id: index_id, index_name: 'of texts', indexed_field: 'text', projections: [{ id: projection_id, ready: true }] },
      ]);
      expect(await at.refused(at.invoke('maps.indices.create', at.indexOrder(project, { indexed_field: 'no-column' })))).toBe(422);
      expect((await settled(at, project)).atlas_indices).toHaveLength(1);
    },
  },
  'maps.indices.job': {
    readBack: 'maps.projects.get',
    async run(at) {
      const { project, job } = await at.map();
      const { id, index_id, job_end_timestamp } = await at.invoke('maps.indices.job', { job_id: job });
      const { atlas_indices } = await at.invoke('maps.projects.get', { project_id: project });
      expect([id, index_id]).toEqual([job, atlas_indices[0]!.id]);
      expect(job_end_timestamp).toBe(atlas_indices[0]!.projections[0]!.updated_timestamp);
      expect(await at.refused(at.invoke('maps.indices.job', { job_id: nowhere }))).toBe(404);
    },
  },
  'maps.indices.progress': {
    readBack: 'maps.indices.job',
    async run(at) {
      const { job, index } = await at.map();
      const progress = await at.invoke('maps.indices.progress', { index_id: index });
      expect([progress.index_build_stage, progress.result]).toEqual(['Completed', 100]);
      expect(progress.job_end_timestamp).toBe((await at.invoke('maps.indices.job', { job_id: job })).job_end_timestamp);
      expect(await at.refused(at.invoke('maps.indices.progress', { index_id: nowhere }))).toBe(404);
    },
  },
  'maps.indices.status': {
    readBack: 'maps.indices.progress',
    async run(at) {
      const { index } = await at.map();
      const { index_id, status, jobs } = await at.invoke('maps.indices.status', { index_id: index });
      expect([index_id, status, jobs.map(({ state }) => state)]).toEqual([index, 'completed', ['completed']]);
      expect((await at.invoke('maps.indices.progress', { index_id: index })).index_build_stage).toBe('Completed');
      expect(await at.refused(at.invoke('maps.indices.status', { index_id: nowhere }))).toBe(404);
    },
  },
  'maps.indices.update': {
    readBack: 'maps.query.select',
    async run(at) {
      const { project, map } = await mapOf(at);
      const found = () =>
        at.invoke('maps.query.select', {
          projection_id: map,
          selection: { method: 'composition', conjunctor: 'ALL', filters: [{ method: 'category', field: 'id', values: ['row-30'] }] },
        });
      await at.invoke('maps.data.addArrow', { body: at.shardOf(project, 1, { from: 30 }) });
      expect(await found()).toEqual([]);
      await updateMaps(at, project);
      expect(await found()).toEqual(['row-30']);
      expect(await at.refused(at.invoke('maps.indices.update', { project_id: nowhere }))).toBe(404);
    },
  },
  'maps.indices.remove': {
    readBack: 'maps.projects.get',
    async run(at) {
      const { project, index } = await mapOf(at);
      // An index is one of its dataset.
      expect(await at.refused(at.invoke('maps.indices.remove', { project_id: await datasetOf(at), index_id: index }))).toBe(404);
      expect((await at.invoke('maps.projects.get', { project_id: project })).atlas_indices).toHaveLength(1);
      await at.invoke('maps.indices.remove', { project_id: project, index_id: index });
      expect((await at.invoke('maps.projects.get', { project_id: project })).atlas_indices).toEqual([]);
    },
  },
} satisfies Partial<Rows>;
