import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { World } from './world.ts';

export type Listed = { id: string; type: string; status: string; error: string | null; result: any };

/** Asks for resources and waits for the last word on each, by their names. */
export async function made(
  { api }: Pick<World, 'api'>,
  dataset_id: string,
  asked: Record<string, { of: string; on?: object; with?: object }>,
) {
  const sent = Object.entries(asked).map(([ref, { of, on = {}, with: more = {} }]) => ({
    resource_type: of,
    ref,
    dataset_id,
    dependencies: on,
    ...more,
  }));
  const { status, body } = await api.post(`/v1/project/${dataset_id}/resources`, sent);
  expect([status, body.detail]).toEqual([200, undefined]);
  const ids = (body as Listed[]).map(({ id }) => id);
  for (;;) {
    const listed = ((await api.get(`/v1/project/${dataset_id}/resources`)).body as Listed[]).filter(({ id }) => ids.includes(id));
    if (listed.every(({ status: became }) => became === 'COMPLETED' || became === 'FAILED'))
      return Object.fromEntries(Object.keys(asked).map((ref, at) => [ref, listed.find(({ id }) => id === ids[at])!]));
    await pause(10);
  }
}

/** What a map of texts stands on. */
export const tree = {
  rows: { of: 'DATASET_CHECKPOINT' },
  vectors: {
    of: 'EMBEDDING_SET_INFERRED',
    on: { DATASET_CHECKPOINT: 'rows' },
    with: { source_column: 'text', embedding_model: 'svc-embed-text-v1' },
  },
  places: { of: 'UMAP_COORDINATE_SET', on: { EMBEDDING_SET_INFERRED: 'vectors' }, with: { n_epochs: 60 } },
  tree: { of: 'QUADTREE', on: { UMAP_COORDINATE_SET: 'places' }, with: { colorable_fields: ['year'] } },
};
