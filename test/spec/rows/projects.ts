import { expect } from 'vitest';
import { datasetOf, nowhere, viewerOf } from './made.ts';
import type { Rows } from './row.ts';

export const projects = {
  'maps.projects.create': {
    readBack: 'maps.projects.get',
    async run({ invoke, refused, organization: { organization_id } }) {
      const given = { project_name: 'Lighthouses', description: 'of the coast', unique_id_field: 'name' };
      const { project_id, slug } = await invoke('maps.projects.create', { organization_id, ...given });
      expect(await invoke('maps.projects.get', { project_id })).toMatchObject({
        ...given,
        id: project_id,
        slug,
        owner: organization_id,
        total_datums_in_project: 0,
      });
      expect(await refused(invoke('maps.projects.create', { organization_id: nowhere, project_name: 'Lighthouses' }))).toBe(403);
    },
  },
  'maps.projects.get': {
    readBack: 'maps.projects.bySlug',
    async run(at) {
      const project_id = await datasetOf(at, 5);
      const project = await at.invoke('maps.projects.get', { project_id });
      expect(project).toMatchObject({ id: project_id, project_name: 'ships', total_datums_in_project: 5, unique_id_field: 'id' });
      const named = { organization_slug: at.organization.slug, project_slug: project.slug };
      expect(await at.invoke('maps.projects.bySlug', named)).toEqual(project);
      expect(await at.refused(at.invoke('maps.projects.get', { project_id: nowhere }))).toBe(404);
    },
  },
  'maps.projects.bySlug': {
    readBack: 'maps.projects.get',
    async run({ invoke, refused, organization: { organization_id, slug: organization_slug } }) {
      const { project_id, slug } = await invoke('maps.projects.create', { organization_id, project_name: 'By slug' });
      const project = await invoke('maps.projects.bySlug', { organization_slug, project_slug: slug });
      expect(project.id).toBe(project_id);
      expect(await invoke('maps.projects.get', { project_id })).toEqual(project);
      expect(await refused(invoke('maps.projects.bySlug', { organization_slug, project_slug: 'no-such-slug' }))).toBe(404);
    },
  },
  'maps.projects.list': {
    readBack: 'maps.projects.get',
    async run(at) {
      const project_id = await datasetOf(at);
      const listed = (await at.invoke('maps.projects.list', {})).projects.filter(({ id }) => id === project_id);
      const { project_name, slug } = await at.invoke('maps.projects.get', { project_id });
      expect(listed).toEqual([{ id: project_id, project_name, slug }]);
      const viewer = at.withKey(await viewerOf(at, project_id));
      expect(await at.refused(viewer('maps.projects.list', {}))).toBe(403);
    },
  },
  'maps.projects.update': {
    readBack: 'maps.projects.get',
    async run(at) {
      const project_id = await datasetOf(at);
      const changes = { project_name: 'barges', description: 'of the canal', is_public: true };
      await at.invoke('maps.projects.update', { project_id, id: project_id, ...changes });
      expect(await at.invoke('maps.projects.get', { project_id })).toMatchObject(changes);
      const viewer = at.withKey(await viewerOf(at, project_id));
      expect(await at.refused(viewer('maps.projects.update', { project_id, id: project_id, project_name: 'rafts' }))).toBe(403);
      expect(await at.invoke('maps.projects.get', { project_id })).toMatchObject(changes);
    },
  },
  'maps.projects.remove': {
    readBack: 'maps.projects.list',
    async run(at) {
      const [kept, project_id] = [await datasetOf(at), await datasetOf(at)];
      await at.invoke('maps.projects.remove', { project_id });
      const left = (await at.invoke('maps.projects.list', {})).projects.map(({ id }) => id);
      expect([left.includes(kept), left.includes(project_id)]).toEqual([true, false]);
      expect(await at.refused(at.invoke('maps.projects.get', { project_id }))).toBe(404);
      expect(await at.refused(at.invoke('maps.projects.remove', { project_id: nowhere }))).toBe(404);
    },
  },
  'maps.projections.dataset': {
    readBack: 'maps.projects.get',
    async run(at) {
      const { map } = await at.map();
      const { dataset_id, index_id } = await at.invoke('maps.projections.dataset', { map_id: map });
      const { atlas_indices } = await at.invoke('maps.projects.get', { project_id: dataset_id });
      expect(atlas_indices.map(({ id, projections }) => [id, ...projections.map((each) => each.id)])).toEqual([[index_id, map]]);
      expect(await at.refused(at.invoke('maps.projections.dataset', { map_id: nowhere }))).toBe(404);
    },
  },
} satisfies Partial<Rows>;
