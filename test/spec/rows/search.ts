import { expect } from 'vitest';
import type { InputOf } from '../../../client/invoke.ts';
import { picture } from '../../support/pictures.ts';
import { mapOf } from './made.ts';
import type { Rows, Shown } from './row.ts';

/** The vector that the map has of a text of a row. */
const vectorOf = async ({ invoke }: Shown, text: string, more: Partial<InputOf<'maps.embedding.text'>> = {}): Promise<number[]> =>
  (await invoke('maps.embedding.text', { texts: [text], ...more })).embeddings[0]!;

const rounded = (numbers: readonly (number | null)[]): (number | null)[] => numbers.map((each) => each && Number(each.toFixed(4)));

export const search = {
  'maps.neighbors.byId': {
    readBack: 'maps.neighbors.byEmbedding',
    async run(at) {
      const { index } = await at.map();
      const { neighbors, distances } = await at.invoke('maps.neighbors.byId', { atlas_index_id: index, datum_ids: ['row-9'], k: 3 });
      expect(neighbors[0]).toHaveLength(3);
      expect([neighbors[0]![0], rounded(distances[0]!)[0]]).toEqual(['row-9', 0]);
      const queries = [await vectorOf(at, 'ship number 9')];
      const near = await at.invoke('maps.neighbors.byEmbedding', { atlas_index_id: index, queries, k: 3 });
      expect([near.neighbors, rounded(near.distances[0]!)]).toEqual([neighbors, rounded(distances[0]!)]);
      expect(await at.refused(at.invoke('maps.neighbors.byId', { atlas_index_id: index, datum_ids: ['no-row'] }))).toBe(404);
    },
  },
  'maps.neighbors.byEmbedding': {
    readBack: 'maps.neighbors.byId',
    async run(at) {
      const { index } = await at.map();
      const queries = [await vectorOf(at, 'engine number 6'), await vectorOf(at, 'road number 8')];
      const { neighbors } = await at.invoke('maps.neighbors.byEmbedding', { atlas_index_id: index, queries, k: 2 });
      expect(neighbors.map((ids) => ids[0])).toEqual(['row-6', 'row-8']);
      const near = await at.invoke('maps.neighbors.byId', { atlas_index_id: index, datum_ids: ['row-6', 'row-8'], k: 2 });
      expect(near.neighbors).toEqual(neighbors);
      expect(await at.refused(at.invoke('maps.neighbors.byEmbedding', { atlas_index_id: index, queries: [[1, 2]] }))).toBe(422);
    },
  },
  'maps.query.select': {
    readBack: 'maps.data.get',
    async run(at) {
      const { project, map } = await at.map();
      const select = (field: string) =>
        at.invoke('maps.query.select', {
          projection_id: map,
          selection: { method: 'composition', conjunctor: 'ALL', filters: [{ method: 'range', field, range: [1911, 1913] }] },
        });
      const ids = (await select('year')) as string[];
      const { datums } = await at.invoke('maps.data.get', { project_id: project, datum_ids: ids });
      expect(datums.map(({ year }) => year)).toEqual([1911, 1912, 1913]);
      expect(await at.refused(select('no-column'))).toBe(422);
    },
  },
  'maps.neighbors.inTiles': {
    readBack: 'maps.neighbors.byId',
    async run(at) {
      const { project, index, map } = await at.map();
      const [asked] = (await at.invoke('maps.data.datums', { map_id: map, qids: ['0-3'], response_type: 'json' })) as { id: string }[];
      const { data } = await at.invoke('maps.neighbors.inTiles', {
        project_id: project,
        projection_id: map,
        tiles: ['0/0/0'],
        tix: 0,
        rix: 3,
      });
      const qids = data['0/0/0']!.map((_, rix) => `0-${rix}`);
      const points = (await at.invoke('maps.data.datums', { map_id: map, qids, response_type: 'json' })) as { id: string }[];
      const nearest = points.map(({ id }, at) => ({ id, similarity: data['0/0/0']![at]! })).toSorted((a, b) => b.similarity - a.similarity);
      const { neighbors, distances } = await at.invoke('maps.neighbors.byId', { atlas_index_id: index, datum_ids: [asked!.id], k: 3 });
      expect(nearest[0]!.id).toBe(neighbors[0]![0]);
      // Of vectors of length 1.
      for (const [at, distance] of distances[0]!.entries()) expect(nearest[at]!.similarity).toBeCloseTo(1 - distance! ** 2 / 2, 4);
      const nowhere = { project_id: project, projection_id: map, tiles: ['9/0/0'], tix: 0, rix: 3 };
      expect(await at.refused(at.invoke('maps.neighbors.inTiles', nowhere))).toBe(404);
    },
  },
  'maps.query.topk': {
    readBack: 'maps.neighbors.byEmbedding',
    async run(at) {
      const { index, map } = await at.map();
      const asked = { projection_id: map, k: 3, fields: ['id', 'year'], query: 'kitchen number 4' };
      const { data } = (await at.invoke('maps.query.topk', asked)) as { data: { id: string; year: number; _similarity: number }[] };
      const queries = [await vectorOf(at, asked.query, { task_type: 'search_query' })];
      const near = await at.invoke('maps.neighbors.byEmbedding', { atlas_index_id: index, queries, k: 3 });
      // Two rows are equally near.
      expect(new Set(data.map(({ id }) => id))).toEqual(new Set(near.neighbors[0]));
      expect(data[0]).toEqual({ id: 'row-4', year: 1904, _similarity: Math.max(...data.map((each) => each._similarity)) });
      expect(await at.refused(at.invoke('maps.query.topk', { ...asked, query: [1, 2] }))).toBe(422);
    },
  },
  'maps.tags.update': {
    readBack: { none: 'no operation of the text reads tags; that it is removed by the id that it was given shows that it was there' },
    async run(at) {
      const { map } = await mapOf(at);
      const tag = (operation: 'add' | 'remove', ids: string[]) =>
        at.invoke('maps.tags.update', { projection_id: map, tag_name: 'afloat', id_field: 'id', operation, ids });
      expect(await at.refused(tag('remove', ['row-1']))).toBe(404);
      const added = await tag('add', ['row-1', 'row-2', 'no-row']);
      expect(added).toMatchObject({ success: true, points_tagged: 2 });
      expect(await tag('remove', ['row-1'])).toEqual({ success: true, tag_id: added.tag_id, points_tagged: 1 });
    },
  },
  'maps.embedding.image': {
    readBack: 'maps.usage.period',
    async run(at) {
      const named = { organization_id_or_slug: at.organization.slug };
      const used = async () => (await at.invoke('maps.usage.period', named)).image_embeddings.used;
      const before = await used();
      const images = await Promise.all([3, 4].map(async (number) => new Blob([new Uint8Array(await picture(number))])));
      const { embeddings } = await at.invoke('maps.embedding.image', { images });
      expect(embeddings.map(({ length }) => length)).toEqual([768, 768]);
      expect((await used()) - before).toBe(2);
      expect(await at.refused(at.invoke('maps.embedding.image', { images: ['no picture'] }))).toBe(422);
    },
  },
  'maps.embedding.text': {
    readBack: 'maps.usage.period',
    async run(at) {
      const named = { organization_id_or_slug: at.organization.slug };
      const used = async () => (await at.invoke('maps.usage.period', named)).text_tokens.used;
      const before = await used();
      const { embeddings, usage } = await at.invoke('maps.embedding.text', { texts: ['a ship', 'a road of stones'] });
      expect(embeddings.map(({ length }) => length)).toEqual([768, 768]);
      expect((await used()) - before).toBe(usage.total_tokens);
      expect(await at.refused(at.invoke('maps.embedding.text', { texts: ['a ship'], model: 'no-model' }))).toBe(422);
    },
  },
} satisfies Partial<Rows>;
