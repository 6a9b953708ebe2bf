import { MessageReader, tableFromIPC } from 'apache-arrow';
import { expect } from 'vitest';
import { settled } from '../place.ts';
import { datasetOf, nowhere } from './made.ts';
import type { Rows } from './row.ts';

/** What public viewers of a map load, outside the text. */
export const viewers = {
  'maps.projections.get': {
    readBack: 'maps.projections.dataset',
    async run(at) {
      const { project, map } = await at.map();
      const { total_data_points, embedding_field } = await at.invoke('maps.projections.get', { project_id: project, projection_id: map });
      expect([total_data_points, embedding_field]).toEqual([30, 'text']);
      expect((await at.invoke('maps.projections.dataset', { map_id: map })).dataset_id).toBe(project);
      expect(await at.refused(at.invoke('maps.projections.get', { project_id: nowhere, projection_id: map }))).toBe(404);
    },
  },
  'maps.tiles.schema': {
    readBack: 'maps.projects.get',
    async run(at) {
      const { project, map } = await at.map();
      const [schema] = new MessageReader(await at.invoke('maps.tiles.schema', { projection_id: map }));
      const fields = (schema!.header() as { fields: { name: string }[] }).fields.map(({ name }) => name);
      const { project_fields } = await at.invoke('maps.projects.get', { project_id: project });
      expect(fields).toEqual(['x', 'y', 'ix', ...project_fields, '_embeddings']);
      expect(await at.refused(at.invoke('maps.tiles.schema', { projection_id: nowhere }))).toBe(404);
    },
  },
  'maps.tiles.manifest': {
    readBack: 'maps.tiles.get',
    async run(at) {
      const { project, map } = await at.map();
      const named = { project_id: project, projection_id: map };
      const manifest = tableFromIPC(await at.invoke('maps.tiles.manifest', named));
      expect([...manifest.getChild('key')!]).toEqual(['0/0/0']);
      const tile = tableFromIPC(await at.invoke('maps.tiles.get', { ...named, z: '0', x: '0', file: '0.feather' }));
      expect(manifest.getChild('nPoints')!.get(0)).toBe(tile.numRows);
      expect(await at.refused(at.invoke('maps.tiles.manifest', { ...named, project_id: nowhere }))).toBe(404);
    },
  },
  'maps.tiles.get': {
    readBack: 'maps.data.datums',
    async run(at) {
      const { project, map } = await at.map();
      const named = { project_id: project, projection_id: map, z: '0', x: '0' };
      const ids = [...tableFromIPC(await at.invoke('maps.tiles.get', { ...named, file: '0.datum_id.feather' })).getChild('id')!];
      const qids = ids.map((_, row) => `0-${row}`);
      const rows = await at.invoke('maps.data.datums', { map_id: map, qids, response_type: 'json', columns: ['id'] });
      expect(rows).toEqual(ids.map((id) => ({ id })));
      expect(await at.refused(at.invoke('maps.tiles.get', { ...named, file: '0.nothing.feather' }))).toBe(404);
    },
  },
  'maps.neighbors.byIdArrow': {
    readBack: 'maps.neighbors.byId',
    async run(at) {
      const { index } = await at.map();
      const asked = { atlas_index_id: index, datum_ids: ['row-3', 'row-1'], k: 4 };
      const table = tableFromIPC(await at.invoke('maps.neighbors.byIdArrow', asked));
      const { neighbors, distances } = await at.invoke('maps.neighbors.byId', asked);
      const lists = (name: string) => Array.from(table.getChild(name)! as Iterable<Iterable<unknown>>, (list) => [...list]);
      expect([lists('neighbors'), lists('distances')]).toEqual([neighbors, distances]);
      expect(await at.refused(at.invoke('maps.neighbors.byIdArrow', { ...asked, datum_ids: ['no-row'] }))).toBe(404);
    },
  },
  'maps.neighbors.topics': {
    readBack: 'maps.projections.get',
    async run(at) {
      const project_id = await datasetOf(at, 60);
      const order = at.indexOrder(project_id, { topic_model_hyperparameters: '{"build_topic_model":true}' });
      const { job_id, projection_id } = await at.invoke('maps.indices.create', order);
      await settled(at, project_id);
      const { index_id } = await at.invoke('maps.indices.job', { job_id });
      const { embeddings } = await at.invoke('maps.embedding.text', { texts: ['ship number 0', 'bread number 5'] });
      const shares = await at.invoke('maps.neighbors.topics', { atlas_index_id: index_id, queries: embeddings, k: 5, depth: 1 });
      const { topic_models } = await at.invoke('maps.projections.get', { project_id, projection_id: projection_id! });
      const first = topic_models[0]!.features.flatMap(({ properties: { depth, topic_short_description: name } }) =>
        depth === 1 ? [name] : [],
      );
      expect(shares.map((each) => Object.values(each).reduce((sum, share) => sum + share, 0))).toEqual([1, 1]);
      expect(shares.flatMap((each) => Object.keys(each)).every((name) => first.includes(name))).toBe(true);
      const { index } = await at.map();
      expect(await at.refused(at.invoke('maps.neighbors.topics', { atlas_index_id: index, queries: embeddings }))).toBe(400);
    },
  },
} satisfies Partial<Rows>;
