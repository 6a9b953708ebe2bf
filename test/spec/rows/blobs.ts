import { expect } from 'vitest';
import { datasetOf, nowhere } from './made.ts';
import type { Rows } from './row.ts';

const textAt = async (url: string): Promise<string> => (await fetch(url)).text();

export const blobs = {
  'maps.blobs.add': {
    readBack: 'maps.blobs.get',
    async run(at) {
      const dataset_id = await datasetOf(at);
      const { hashes } = await at.invoke('maps.blobs.add', { dataset_id, blobs: ['a lighthouse', 'a quay'] });
      const found: string[] = [];
      for (const blob_hash of hashes)
        found.push(await textAt((await at.invoke('maps.blobs.get', { dataset_id, blob_hash: blob_hash! })).url));
      expect(found).toEqual(['a lighthouse', 'a quay']);
      expect(await at.refused(at.invoke('maps.blobs.add', { dataset_id: nowhere, blobs: ['a lighthouse'] }))).toBe(404);
    },
  },
  'maps.blobs.get': {
    readBack: 'maps.blobs.add',
    async run(at) {
      const dataset_id = await datasetOf(at);
      const add = async () => (await at.invoke('maps.blobs.add', { dataset_id, blobs: ['a mole'] })).hashes[0]!;
      const blob_hash = await add();
      expect(await textAt((await at.invoke('maps.blobs.get', { dataset_id, blob_hash })).url)).toBe('a mole');
      expect(await add()).toBe(blob_hash);
      // A blob is one of its dataset.
      expect(await at.refused(at.invoke('maps.blobs.get', { dataset_id: await datasetOf(at), blob_hash }))).toBe(404);
    },
  },
} satisfies Partial<Rows>;
